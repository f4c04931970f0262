// The words for a system call that failed.
#pragma once

#include <string>

#include "autokernel/base/error.h"

namespace autokernel {

// "<attempt>: <the system's text for errno> [<call>]", as an Error to throw. Make it on the line
// after the call, while errno is still that call's.
[[nodiscard]] Error system_failure(Stop stop, const std::string& attempt, const char* call);
// The same for an error number that was kept.
[[nodiscard]] Error system_failure(Stop stop, const std::string& attempt, const char* call,
                                   int number);

}  // namespace autokernel
