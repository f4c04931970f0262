// The untimed launches: repeats on the same inputs, and inputs of every kind a wrong kernel may be
// right on by chance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trial/inputs/keys.h"
#include "trial/launch/kernel_launcher.h"
#include "trial/launch/rejection.h"

namespace autokernel::trial {

// At which size a check runs. On the emulated device a small one is enough for most; stress inputs
// come at the size that is timed, or a kernel could be right on them at the other one alone.
enum class CheckedAt : std::uint8_t { check_size, timed_size };

// What is launched on one key.
struct Check {
  InputKind input_kind;
  int launches;
  CheckedAt at;
};
// Those at the check size first.
[[nodiscard]] std::vector<Check> check_plan(const cases::Case& problem);
// "check launch 3".
[[nodiscard]] std::string check_name(int number);

// Those at that size, each with the number of its first launch.
struct NumberedCheck {
  Check check;
  int first;
};
[[nodiscard]] std::vector<NumberedCheck> checks_at(CheckedAt at, const cases::Case& problem);

// Launches what it says, and hands on what came out, to be judged once the candidate is gone.
[[nodiscard]] std::optional<Rejection> run_check(KernelLauncher& launcher,
                                                 const NumberedCheck& numbered, KeySource& keys,
                                                 RecordSink& judged);

// Whether the same inputs must give the same bits every time.
[[nodiscard]] bool must_repeat(const cases::Case& problem);

}  // namespace autokernel::trial
