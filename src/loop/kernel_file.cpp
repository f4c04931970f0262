#include "loop/kernel_file.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/cases/case.h"
#include "loop/names.h"

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

std::string source_at(const repo::Repository& repository, const std::string& commit,
                      const std::string& editable) {
  if (auto source = repository.file_at(commit, editable)) return *std::move(source);
  throw Error(Stop::repository, fmt::format("commit {} holds no {}", short_id(commit), editable));
}

}  // namespace autokernel::loop
