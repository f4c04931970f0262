// Whether a run's claim holds: for a person who was handed one, or who has slept while an agent
// worked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/loop/status.h"
#include "autokernel/trial/result.h"

namespace autokernel::loop {

struct Verification {
  enum class Verdict : std::uint8_t {
    holds,
    does_not_hold,  // measured again, the best is not faster than the baseline, or than was claimed
    inconclusive,   // the interval holds both
    fails,          // the best is not even correct any more: `failure`
    tampered        // whatever was measured, the record is not what was written: `faults`
  };
  Verdict verdict = Verdict::holds;
  std::string reason;
  std::vector<std::string> faults;             // each in a sentence
  std::vector<std::string> remarks;            // what could not be checked, and why
  std::uint64_t entries = 0;                   // in the ledger, of all runs
  ledger::RunFinished measured;                // a moment ago; not in the ledger
  std::optional<ledger::RunFinished> claimed;  // by the last finish, if it was of the best
  std::optional<trial::Result> failure;
  trial::DeviceReport device;
  std::string problem;
  std::string library;  // that it was compared with: "OpenBLAS 0.3.21"; empty: none
  Status status;
};

[[nodiscard]] const char* spelling(Verification::Verdict verdict);

}  // namespace autokernel::loop
