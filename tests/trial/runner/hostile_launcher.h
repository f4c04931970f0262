// A launcher that is wholly under a kernel's control: honest until the kernel would run, and from
// then on it says and does what the test wants.
#pragma once

#include <string_view>

#include "autokernel/trial/launcher.h"

namespace autokernel::trial {

int lie_to_the_runner(std::string_view lie, LauncherChannels channels);

}  // namespace autokernel::trial
