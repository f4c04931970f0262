// The way to the resident process (resident.h), which has runners ready.
#pragma once

#include <memory>

#include "trial/supervise/lending_message.h"
#include "trial/supervise/running_runner.h"

namespace autokernel::trial {

// A runner that is ready for a trial by that recipe; null where there is none, where nobody is
// resident, or where it does not answer. It has been checked to be of our user and program.
[[nodiscard]] std::unique_ptr<RunningRunner> borrowed_runner(const RunnerRecipe& recipe);

// Of a trial with that request in our place, with these variables.
[[nodiscard]] RunnerRecipe recipe_for(const Request& request, const Variables& variables);

// The name that the resident process of our surroundings listens on.
[[nodiscard]] std::string resident_name();

}  // namespace autokernel::trial
