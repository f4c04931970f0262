// What becomes of a status that libgit2 returned: an Error with libgit2's own words, or "not
// found".
#pragma once

#include <string>

#include "autokernel/base/error.h"

namespace autokernel::repo {

// "<attempt>: <libgit2's text, or the number> [<call>]", as an Error to throw. Make it on the line
// after the call: libgit2 keeps the text of the last failure only.
[[nodiscard]] Error git_failure(int status, const std::string& attempt, const char* call,
                                Stop stop = Stop::repository);

// Throws that Error unless all went well.
void check(int status, const std::string& attempt, const char* call);

// False where libgit2 says that there is no such thing; throws for every other failure.
[[nodiscard]] bool found(int status, const std::string& attempt, const char* call);

}  // namespace autokernel::repo
