// From a compiler's log to the few lines a person needs: the first error, its place and the source
// line itself, and what to do where the compiler's words do not say it.
#pragma once

#include <string>

namespace autokernel::compile {

// `file_name` is what the source was called when it was compiled.
[[nodiscard]] std::string first_error(const std::string& log, const std::string& source,
                                      const std::string& file_name);

}  // namespace autokernel::compile
