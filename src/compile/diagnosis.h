// From a compiler's log to the few lines a person needs: the first error, its place and the source
// line itself, and what to do where the compiler's words do not say it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "autokernel/compile/program.h"

namespace autokernel::compile {

// `ptx` is what the source was made into before the assembler refused it, whose lines are shown as
// the file's. Words of a file that the source includes are only shown where it is the source's own,
// the harness's, CUDA's or a library's: a compiler that is shown somebody's secrets quotes them.
struct KnownHeaders {
  std::vector<std::filesystem::path> cuda;     // folders
  std::map<std::string, std::string> library;  // Request::headers
};
[[nodiscard]] std::string first_error(const std::string& log, const Source& source,
                                      const KnownHeaders& headers = {},
                                      const std::string& ptx = {});

}  // namespace autokernel::compile
