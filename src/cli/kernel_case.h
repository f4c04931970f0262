// What is for kernels alone, and not for a [command] case.
#pragma once

#include <string>

#include "autokernel/cases/case.h"

namespace autokernel::cli {

// Throws Error(usage), naming `what` was asked for ("--sweep", "autokernel noise"), where the case
// is one of commands.
void require_kernel(const cases::Case& problem, const std::string& what);

}  // namespace autokernel::cli
