// The texts of a launcher's reports, cut to size where they enter the runner: a kernel that gets at
// the launcher's memory can make them as long as a message may be.
#pragma once

#include "trial/runner/launch_message.h"

namespace autokernel::trial {

void bound_texts(Report& report);

}  // namespace autokernel::trial
