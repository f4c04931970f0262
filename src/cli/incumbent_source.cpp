#include "cli/incumbent_source.h"

#include <fmt/format.h>

#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/cases/case.h"
#include "autokernel/repo/repository.h"

namespace autokernel::cli {

std::string incumbent_source(const std::string& against, const std::filesystem::path& kernel_file) {
  std::error_code unreadable;
  if (std::filesystem::is_regular_file(against, unreadable)) {
    return read_file(against, "the kernel to compare with", cases::kLargestSource);
  }
  const std::string attempt =
      fmt::format("cannot compare with {}: there is no such file, and ", against);
  try {
    const auto repository = repo::Repository::open(kernel_file.parent_path());
    const std::string path = repository.relative(kernel_file);
    const std::string commit = repository.resolve(against);
    if (auto source = repository.file_at(commit, path)) return *std::move(source);
    throw Error(Stop::usage, fmt::format("that revision has no {}", path));
  } catch (const Error& error) {
    throw Error(Stop::usage, attempt + error.what());
  }
}

}  // namespace autokernel::cli
