// Where the long texts go: compiler output and a device's own words, whole, for who wants to read
// them.
#pragma once

#include <filesystem>
#include <string>

namespace autokernel::cli {

// Writes `text` (bounded in size) to a new file and returns its path: below .autokernel/logs/ at
// the root of the repository that holds `case_directory`, or where there is none below the user's
// cache folder. The newest twenty are kept. Throws Error(environment).
[[nodiscard]] std::filesystem::path keep_log(const std::filesystem::path& case_directory,
                                             const std::string& text);

// The same to a file of the user's choice, or into whatever stands there (a pipe, /dev/null).
// Throws Error(usage).
void write_log(const std::filesystem::path& file, const std::string& text);

// Keeps the PTX of a trial beside its log: x.ptx beside x.log, for as long as the log is kept. Does
// nothing where the log is no file (a pipe, /dev/null), or where there is no PTX. Throws
// Error(environment).
void keep_ptx(const std::filesystem::path& log, const std::string& ptx);

}  // namespace autokernel::cli
