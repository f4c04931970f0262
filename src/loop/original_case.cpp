#include "loop/original_case.h"

#include <fmt/format.h>

#include <optional>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

// The path within the case; none for a guarded file elsewhere, as program.md is.
[[nodiscard]] std::optional<fs::path> within_case(const ledger::RunStarted& run,
                                                  const std::string& path) {
  const fs::path folder = run.case_directory.empty() ? "." : run.case_directory;
  fs::path within = fs::path(path).lexically_relative(folder);
  if (within.empty() || *within.begin() == "..") return std::nullopt;
  return within;
}

}  // namespace

cases::CaseFiles original_case(const repo::Repository& repository, const ledger::RunStarted& run) {
  cases::CaseFiles files{.directory = repository.root() / run.case_directory, .bytes = {}};
  for (const auto& [path, blob] : run.guarded) {
    const auto within = within_case(run, path);
    if (!within) continue;
    std::optional<std::string> bytes = repository.bytes_of(blob);
    // One that was in no commit is in git's store until `git gc` clears it away.
    if (!bytes) {
      bytes = read_file_below(repository.root(), path, "a file of the case", cases::kLargestSource);
      if (bytes && repository.hash_as(path, *bytes) != blob) bytes.reset();
    }
    if (!bytes) {
      throw Error(Stop::repository,
                  fmt::format("cannot measure run {} again: {}, as it was when the run was started "
                              "(blob {}), is neither in git nor in the worktree",
                              run.tag, path, blob));
    }
    files.bytes[within->string()] = *std::move(bytes);
  }
  cases::read_images(files);
  for (const auto& [folder, digest] : run.headers) {
    files.headers.push_back(cases::read_headers(files.directory, folder));
    if (cases::digest_of(files.headers.back()) == digest) continue;
    throw Error(
        Stop::repository,
        fmt::format("cannot measure run {} again: the headers in {} ([compile] include) are "
                    "not those that it was started with; put them back",
                    run.tag, folder));
  }
  return files;
}

std::vector<std::string> case_faults(const repo::Repository& repository,
                                     const ledger::RunStarted& run) {
  std::vector<std::string> faults;
  for (const auto& [path, blob] : run.guarded) {
    const std::string now = repository.hash_of(path);
    if (now == blob) continue;
    faults.push_back(fmt::format("{} {} since the run was started", path,
                                 now.empty() ? "was deleted" : "has changed"));
  }
  return faults;
}

}  // namespace autokernel::loop
