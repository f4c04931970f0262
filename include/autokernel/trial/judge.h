// What clients of a judge (`autokernel serve`) decide about it.
#pragma once

namespace autokernel::trial {

// From now on a judge is refused, with Error(environment), unless it runs as root or as a system
// user that is not this one: whoever else can start a judge can make up what it says.
void refuse_judges_of_this_user();

}  // namespace autokernel::trial
