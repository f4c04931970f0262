// The untimed launches: repeats on the same inputs, and inputs of every kind a wrong kernel may be
// right on by chance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/trial/stages.h"
#include "trial/inputs/keys.h"
#include "trial/launch/kernel_launcher.h"
#include "trial/launch/rejection.h"

namespace autokernel::trial {

// At which sizes checks run. On the emulated device a small one is enough for most; stress inputs
// come at the size that is timed, or a kernel could be right on them at the other one alone. All
// must live longer.
struct CheckedSizes {
  const SizedCase* check = nullptr;
  const SizedCase* timed = nullptr;
  std::vector<const SizedCase*> further = {};

  [[nodiscard]] std::size_t output_bytes() const;  // the most that a launch writes
};
// Whether a size is there for what kernels that assume multiples get wrong.
[[nodiscard]] bool is_edge(const std::string& size_name);

// What is launched on one key.
struct Check {
  InputKind input_kind;
  int launches;
  const SizedCase* sized;
  int first;    // the number of its first launch
  Stage stage;  // of that one; the others show whether it repeats
};
// In the order in which they are launched: those at one size in a row.
[[nodiscard]] std::vector<Check> check_plan(const CheckedSizes& sizes, Depth depth);
// "check launch 3".
[[nodiscard]] std::string check_name(int number);
// What the launch with that number shows.
[[nodiscard]] Stage stage_of(const Check& check, int number);

// Launches what it says, and hands on what came out, to be judged once the candidate is gone.
[[nodiscard]] std::optional<Rejection> run_check(KernelLauncher& launcher, const Check& check,
                                                 KeySource& keys, RecordSink& judged);

// Whether there are values of other scales to try.
[[nodiscard]] bool is_stressed(const cases::Case& problem);
// Whether the same inputs must give the same bits every time.
[[nodiscard]] bool must_repeat(const cases::Case& problem);

}  // namespace autokernel::trial
