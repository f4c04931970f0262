#include "loop/editable_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "autokernel/base/error.h"
#include "loop/folders.h"
#include "loop/names.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

// That of the case, from which the paths of all editable files are.
[[nodiscard]] std::string folder_of(const ledger::RunStarted& run) {
  std::string folder = run.case_directory.empty() ? "" : run.case_directory + "/";
  if (run.editable.starts_with(folder)) return folder;
  return run.editable.substr(0, run.editable.rfind('/') + 1);
}

// What the run must not change, by path from the case's folder.
[[nodiscard]] std::set<std::string> fixed_in(const ledger::RunStarted& run,
                                             const std::string& folder) {
  std::set<std::string> fixed = {run.editable.substr(folder.size())};
  for (const auto& [path, blob] : run.guarded) {
    if (path.starts_with(folder)) fixed.insert(path.substr(folder.size()));
  }
  for (const auto& [headers, digest] : run.headers)
    fixed.insert((fs::path(headers).lexically_normal() / "").generic_string());
  return fixed;
}

[[nodiscard]] std::string too_large(std::uint64_t bytes) {
  return fmt::format("{:.1f} MiB; a kernel is source text of at most {} MiB",
                     static_cast<double>(bytes) / (1U << 20U), cases::kLargestSource >> 20U);
}

}  // namespace

EditableSet::EditableSet(const ledger::RunStarted& run)
    : main_(run.editable),
      folder_(folder_of(run)),
      others_(run.editable_files, fixed_in(run, folder_)) {}

std::string EditableSet::names() const {
  std::vector<std::string> names = {main_};
  for (const std::string& pattern : others_.patterns()) names.push_back(folder_ + pattern);
  if (names.size() == 1) return main_;
  const std::string last = std::move(names.back());
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

bool EditableSet::contains(const std::string& path) const {
  if (path == main_) return true;
  return path.starts_with(folder_) && !Folders::are_own(path) &&
         others_.contain(path.substr(folder_.size()));
}

bool EditableSet::may_lie_in(const std::string& folder) const {
  return folder.starts_with(folder_) && others_.may_lie_in(folder.substr(folder_.size()));
}

std::vector<std::string> EditableSet::repositories(const fs::path& root) const {
  std::vector<std::string> repositories;
  static_cast<void>(others_.find(root / folder_, &repositories));
  for (std::string& path : repositories) path.insert(0, folder_);
  return repositories;
}

std::vector<std::string> EditableSet::in_worktree(const fs::path& root) const {
  std::vector<std::string> paths = {main_};
  for (const std::string& path : others_.find(root / folder_)) {
    if (contains(folder_ + path)) paths.push_back(folder_ + path);
  }
  return paths;
}

std::vector<std::string> EditableSet::at(const repo::Repository& repository,
                                         const std::string& commit) const {
  std::vector<std::string> paths = {main_};
  if (others_.empty()) return paths;
  const std::string folder = folder_.substr(0, folder_.size() - (folder_.empty() ? 0 : 1));
  for (const auto& [path, blob] : repository.files_below(commit, folder)) {
    if (path != main_ && contains(path)) paths.push_back(path);
  }
  return paths;
}

std::vector<std::string> EditableSet::anywhere(const repo::Repository& repository,
                                               const std::vector<std::string>& commits) const {
  std::vector<std::string> paths = {main_};
  try {
    paths = in_worktree(repository.root());
  } catch (const Error& error) {
    if (error.stop() != Stop::usage) throw;
  }
  for (const std::string& commit : commits) {
    for (std::string& path : at(repository, commit)) {
      if (std::ranges::find(paths, path) == paths.end()) paths.push_back(std::move(path));
    }
  }
  return paths;
}

bool EditableSet::matches(const repo::Repository& repository, const std::string& commit) const {
  const std::vector<std::string> paths = anywhere(repository, {commit});
  return std::ranges::all_of(
      paths, [&](const std::string& path) { return repository.file_matches(commit, path); });
}

std::string EditableSet::fault(const fs::path& root) const {
  std::error_code failed;
  // A link is none: what is judged is the bytes that git keeps.
  if (!fs::is_regular_file(fs::symlink_status(root / main_, failed)))
    return main_ + " is not a regular file";
  std::vector<std::string> paths;
  try {
    paths = in_worktree(root);
  } catch (const Error& error) {
    if (error.stop() != Stop::usage) throw;
    return error.what();
  }
  if (paths.size() > cases::kMostEditableFiles + 1) {
    return fmt::format("{}: there are {} files beside {}; a kernel has at most {}", names(),
                       paths.size() - 1, main_, cases::kMostEditableFiles);
  }
  std::uint64_t others = 0;
  for (const std::string& path : paths) {
    const std::uintmax_t size = fs::file_size(root / path, failed);
    if (failed) continue;
    if (size > cases::kLargestSource) return fmt::format("{} has {}", path, too_large(size));
    if (path != main_) others += size;
  }
  if (others > cases::kLargestSource)
    return fmt::format("{}: the files beside {} have {}", names(), main_, too_large(others));
  return {};
}

cases::KernelSource EditableSet::source_in(const fs::path& root) const {
  return cases::read_kernel_in(root / folder_, main_.substr(folder_.size()), others_, "the kernel");
}

cases::KernelSource EditableSet::source_at(const repo::Repository& repository,
                                           const std::string& commit) const {
  cases::KernelSource source;
  source.name = main_.substr(folder_.size());
  for (const std::string& path : at(repository, commit)) {
    auto text = repository.file_at(commit, path);
    if (!text) {
      throw Error(Stop::repository, fmt::format("commit {} holds no {}", short_id(commit), path));
    }
    if (path == main_) {
      source.text = *std::move(text);
    } else {
      source.files[path.substr(folder_.size())] = *std::move(text);
    }
  }
  return source;
}

}  // namespace autokernel::loop
