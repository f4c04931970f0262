#include "loop/kernel_file.h"

#include <fmt/format.h>

#include <system_error>

#include "autokernel/cases/case.h"

namespace autokernel::loop {

std::string kernel_file_fault(const std::filesystem::path& file) {
  std::error_code failed;
  // A link is none: what is judged is the bytes that git keeps.
  const auto status = std::filesystem::symlink_status(file, failed);
  if (!std::filesystem::is_regular_file(status)) return "is not a regular file";
  const std::uintmax_t size = std::filesystem::file_size(file, failed);
  if (!failed && size > cases::kLargestSource) {
    return fmt::format("has {} MiB; a kernel is source text of at most {} MiB", size >> 20U,
                       cases::kLargestSource >> 20U);
  }
  return {};
}

}  // namespace autokernel::loop
