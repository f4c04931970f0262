// From a compiler's log to the few lines a person needs: the first error, its place and the source
// line itself, and what to do where the compiler's words do not say it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace autokernel::compile {

// `file_name` is what the source was called when it was compiled; `ptx` is what it was made into
// before the assembler refused it, whose lines are shown as the file's. Words of a file that the
// source includes are only shown where it is the harness's, CUDA's or a library's: a compiler that
// is shown somebody's secrets quotes them.
struct KnownHeaders {
  std::vector<std::filesystem::path> cuda;     // folders
  std::map<std::string, std::string> library;  // Request::headers
};
[[nodiscard]] std::string first_error(const std::string& log, const std::string& source,
                                      const std::string& file_name,
                                      const KnownHeaders& headers = {},
                                      const std::string& ptx = {});

}  // namespace autokernel::compile
