// The untimed launches: repeats on the same inputs, and inputs of every kind a wrong kernel may be
// right on by chance.
#pragma once

#include <variant>
#include <vector>

#include "trial/keys.h"
#include "trial/launcher.h"
#include "trial/rejection.h"

namespace autokernel::trial {

using Checked = std::variant<std::vector<LaunchRecord>, Rejection>;

// Launches everything that is to be checked and gives what came out, to be judged once the
// candidate is gone.
[[nodiscard]] Checked run_checks(Launcher& launcher, const SizedCase& sized, Keys& keys);

// Whether the same inputs must give the same bits every time.
[[nodiscard]] bool must_repeat(const cases::Case& problem);

}  // namespace autokernel::trial
