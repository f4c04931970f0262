// What golden vectors are taken of: kernels of Hopper's own instructions on inputs that are the
// same everywhere. Sums are exact, so that their order does not matter.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "golden/driver.h"

namespace emulator::golden {

struct Case {
  std::string name;
  std::function<Words()> run;  // what the kernel leaves in memory
};

// Products of warpgroups: wgmma.
[[nodiscard]] std::vector<Case> warpgroup_products();
// Products of a warp, one factor sparse: mma.sp.
[[nodiscard]] std::vector<Case> sparse_products();
// Copies of tensors: cp.async.bulk.tensor and cp.reduce.async.bulk.tensor.
[[nodiscard]] std::vector<Case> tensor_copies();
// Blocks of a cluster: distributed shared memory, multicast.
[[nodiscard]] std::vector<Case> clusters();

[[nodiscard]] std::vector<Case> all_cases();

// What came of a case: "a7c03b5e91d2f648", FNV-1a of 64 bits over the words, or "fault-715", the
// number that the driver gave. `words` is for what the kernel left in memory, where somebody wants
// it. Throws std::runtime_error where anything else goes wrong.
[[nodiscard]] std::string outcome_of(const Case& test, Words* words = nullptr);
[[nodiscard]] std::string digest(const Words& words);

// The next of a sequence that is the same everywhere: splitmix64.
[[nodiscard]] std::uint64_t next_random(std::uint64_t& state);

}  // namespace emulator::golden
