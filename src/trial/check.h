// The untimed launches: repeats on the same inputs, and inputs of every kind a wrong kernel may be
// right on by chance.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trial/keys.h"
#include "trial/launcher.h"
#include "trial/rejection.h"

namespace autokernel::trial {

// What is launched on one key.
struct Check {
  Recipe recipe;
  int launches;
};
[[nodiscard]] std::vector<Check> check_plan(const cases::Case& problem);
// "check launch 3".
[[nodiscard]] std::string check_name(int number);

// Launches all that the plan has, and hands on what came out, to be judged once the candidate is
// gone.
[[nodiscard]] std::optional<Rejection> run_checks(Launcher& launcher, const SizedCase& sized,
                                                  KeySource& keys, RecordSink& judged);

// Whether the same inputs must give the same bits every time.
[[nodiscard]] bool must_repeat(const cases::Case& problem);

}  // namespace autokernel::trial
