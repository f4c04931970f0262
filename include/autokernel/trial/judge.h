// What clients of a judge (`autokernel serve`) decide about it.
#pragma once

namespace autokernel::trial {

// From now on a judge that runs as this user is refused, with Error(environment): whoever can replace it
// can make up what it says. Judges of other users are not.
void refuse_judges_of_this_user();

}  // namespace autokernel::trial
