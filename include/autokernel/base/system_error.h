// The words for a system call that failed.
#pragma once

#include <string>

#include "autokernel/base/error.h"

namespace autokernel {

// What to do about a disk that is full or failing, "; make room ...", by the error number; empty
// for any other.
[[nodiscard]] std::string disk_remedy(int number);
// The same for somebody else's text, in which the system's own words for such a number occur.
[[nodiscard]] std::string disk_remedy_in(const std::string& text);

// "<attempt>: <the system's text for errno><remedy> [<call>]", as an Error to throw. Make it on the
// line after the call, while errno is still that call's.
[[nodiscard]] Error system_failure(Stop stop, const std::string& attempt, const char* call);
// The same for an error number that was kept.
[[nodiscard]] Error system_failure(Stop stop, const std::string& attempt, const char* call,
                                   int number);

}  // namespace autokernel
