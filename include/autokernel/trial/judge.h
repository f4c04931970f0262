// What clients of a judge (`autokernel serve`) decide about it.
#pragma once

#include <string>

namespace autokernel::trial {

// From now on a judge is refused, with Error(environment), unless it runs as root or as a system
// user that is not this one: whoever else can start a judge can make up what it says.
void refuse_judges_of_this_user();
// Whether the judge at that place runs as this user does. False where none answers.
[[nodiscard]] bool is_judge_of_this_user(const std::string& place);

}  // namespace autokernel::trial
