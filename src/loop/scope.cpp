#include "loop/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "autokernel/base/error.h"
#include "loop/folders.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

// As many as a person reads; the rest is counted.
constexpr std::size_t kMostNamed = 20;

[[noreturn]] void refuse_strayed(const ledger::RunStarted& run, const std::string& strayed) {
  throw Error(
      Stop::scope,
      fmt::format("only {} may change in a run, but these have: {}; nothing was done. Restore them "
                  "('git checkout -- PATH', or remove new files) and run the command again",
                  EditableSet(run).names(), strayed));
}

// What was not committed when the run began is in git all the same.
[[nodiscard]] std::string hint_on(const std::vector<Strayed>& strayed) {
  const auto lost = std::ranges::find_if(
      strayed, [](const Strayed& one) { return one.was_unsaved && !one.blob.empty(); });
  if (lost == strayed.end()) return {};
  constexpr std::size_t kShown = 12;
  return fmt::format(
      " [{} had changes that were not committed when the run began: 'git cat-file "
      "-p {} > {}' brings them back]",
      lost->path, lost->blob.substr(0, kShown), lost->path);
}

[[nodiscard]] fs::file_type type_of(const repo::Repository& repository, const std::string& path) {
  std::error_code unreadable;
  return fs::symlink_status(repository.root() / path, unreadable).type();
}

// A link in the place of a file is another change, and so is what was a link. What is in a folder
// in its place is looked at by itself.
[[nodiscard]] bool is_editable(const repo::Repository& repository, const EditableSet& editable,
                               const std::string& path) {
  if (path == editable.main()) return true;
  if (!editable.contains(path)) return false;
  const fs::file_type type = type_of(repository, path);
  const bool may_be = type == fs::file_type::regular || type == fs::file_type::not_found ||
                      type == fs::file_type::directory;
  return may_be && !repository.is_odd_at(repository.head().commit, path);
}

// Why a file that lies where the kernel's do is none of them; empty where that is plain.
[[nodiscard]] std::string why_not_editable(const repo::Repository& repository,
                                           const EditableSet& editable, const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/', path.size() - 2) + 1);
  if (!editable.may_lie_in(folder)) return "";
  if (type_of(repository, path) == fs::file_type::symlink) return ", a link";
  std::error_code unreadable;
  if (path.ends_with('/') && fs::exists(repository.root() / path / ".git", unreadable))
    return ", a repository of its own";
  const bool is_plain = std::ranges::all_of(
      path, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  return is_plain ? "" : ", a name with other letters than ASCII";
}

// A folder that git does not know is one change, whatever it holds; of one that editable files may
// lie in, each other file is one, but for what git ignores.
[[nodiscard]] std::vector<repo::Change> looked_into(const repo::Repository& repository,
                                                    const EditableSet& editable,
                                                    const repo::Change& folder) {
  std::vector<repo::Change> others;
  std::error_code failed;
  fs::recursive_directory_iterator at(repository.root() / folder.path,
                                      fs::directory_options::skip_permission_denied, failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    const std::string path = at->path().lexically_relative(repository.root()).generic_string();
    if (at->symlink_status(failed).type() == fs::file_type::directory) {
      if (editable.may_lie_in(path)) continue;
      at.disable_recursion_pending();
      if (repository.is_ignored(path + "/")) continue;
      others.push_back({.path = path + "/", .blob = {}, .is_read = true, .what = "new"});
    } else if (!is_editable(repository, editable, path) && !repository.is_ignored(path)) {
      others.push_back(
          {.path = path, .blob = repository.hash_of(path), .is_read = true, .what = "new"});
    }
  }
  if (failed) return {folder};
  return others;
}

// Of these changes those that are none of an editable file.
[[nodiscard]] std::vector<repo::Change> without_edits(const repo::Repository& repository,
                                                      const EditableSet& editable,
                                                      const std::vector<repo::Change>& changes) {
  std::vector<repo::Change> others;
  for (const repo::Change& change : changes) {
    if (change.path.ends_with('/') && editable.may_lie_in(change.path)) {
      std::ranges::move(looked_into(repository, editable, change), std::back_inserter(others));
    } else if (!is_editable(repository, editable, change.path)) {
      others.push_back(change);
    }
  }
  // Git passes over these, and so over what is in them.
  for (const std::string& path : editable.repositories(repository.root())) {
    if (!repository.is_odd_at(repository.head().commit, path))
      others.push_back({.path = path + "/", .blob = {}, .is_read = true, .what = "new"});
  }
  return others;
}

}  // namespace

std::map<std::string, std::string> guarded_files(const repo::Repository& repository,
                                                 const cases::CaseFiles& files) {
  std::map<std::string, std::string> guarded;
  for (const auto& [name, bytes] : files.bytes) {
    const std::string path = repository.relative(files.directory / name);
    guarded[path] = repository.store_as(path, bytes);
  }
  const std::string instructions = "program.md";
  if (!repository.hash_of(instructions).empty()) {
    guarded[instructions] = repository.store(instructions);
  }
  return guarded;
}

std::map<std::string, std::string> digests_of(const std::vector<cases::HeaderFolder>& folders) {
  std::map<std::string, std::string> digests;
  for (const cases::HeaderFolder& each : folders)
    digests[each.folder.string()] = cases::digest_of(each);
  return digests;
}

cases::CaseFiles unchanged_case(const repo::Repository& repository, const ledger::RunStarted& run) {
  cases::CaseFiles files = cases::read_files(repository.root() / run.case_directory);
  std::vector<Strayed> strayed;
  for (const auto& [name, bytes] : files.bytes) {
    const std::string path = repository.relative(files.directory / name);
    const auto then = run.guarded.find(path);
    if (then != run.guarded.end() && then->second == repository.hash_as(path, bytes)) continue;
    strayed.push_back({.path = path, .what = "modified", .blob = {}});
  }
  const std::map<std::string, std::string> headers = digests_of(files.headers);
  for (const auto& [folder, digest] : headers) {
    const auto then = run.headers.find(folder);
    if (then != run.headers.end() && then->second == digest) continue;
    throw Error(
        Stop::scope,
        fmt::format("the headers in {} ([compile] include) are not those that the run was "
                    "started with; nothing was done. Put them back, and run the command again",
                    folder));
  }
  if (!strayed.empty()) refuse_strayed(run, list_of(strayed));
  return files;
}

std::vector<ledger::Unsaved> unsaved_files(const repo::Repository& repository,
                                           const EditableSet& editable) {
  std::vector<ledger::Unsaved> unsaved;
  const auto is_the_loops = [&](const std::string& path) {
    return is_editable(repository, editable, path) || Folders::are_own(path);
  };
  for (const repo::Change& change :
       without_edits(repository, editable, repository.changes(is_the_loops))) {
    const bool is_kept = change.is_read && !change.blob.empty();
    unsaved.push_back(
        {.path = change.path, .blob = is_kept ? repository.store(change.path) : change.blob});
  }
  return unsaved;
}

std::vector<Strayed> strayed_files(const repo::Repository& repository,
                                   const ledger::RunStarted& run,
                                   const std::vector<repo::Change>& changes) {
  std::vector<Strayed> strayed;
  std::set<std::string> seen;
  const auto unsaved_then = [&](const std::string& path) {
    return std::ranges::find(run.unsaved, path, &ledger::Unsaved::path);
  };
  // What an unknown folder holds was not looked at then, so nobody can say whether it has changed.
  const auto is_in_unsaved_folder = [&](const std::string& path) {
    return std::ranges::any_of(run.unsaved, [&](const ledger::Unsaved& then) {
      return then.path.ends_with('/') && path.starts_with(then.path);
    });
  };
  const EditableSet editable(run);
  for (const repo::Change& change : without_edits(repository, editable, changes)) {
    seen.insert(change.path);
    if (is_in_unsaved_folder(change.path)) continue;
    const auto then = unsaved_then(change.path);
    if (then == run.unsaved.end()) {
      strayed.push_back({.path = change.path,
                         .what = change.what + why_not_editable(repository, editable, change.path),
                         .blob = {}});
    } else if (then->blob != change.blob) {
      strayed.push_back({.path = change.path,
                         .what = change.blob.empty() ? "deleted" : "modified",
                         .blob = then->blob,
                         .was_unsaved = true});
    }
  }
  // What differed from the commit then and does not now: an edit of the user's is gone.
  for (const ledger::Unsaved& then : run.unsaved) {
    if (!seen.insert(then.path).second) continue;
    std::error_code unreadable;
    const bool is_folder = then.path.ends_with('/');
    if (is_folder && fs::exists(repository.root() / then.path, unreadable)) continue;
    strayed.push_back({.path = then.path,
                       .what = is_folder ? "deleted" : "reset",
                       .blob = then.blob,
                       .was_unsaved = true});
  }
  for (const auto& [path, id] : run.guarded) {
    const std::string now = repository.hash_of(path);
    if (seen.contains(path) || now == id) continue;
    strayed.push_back({.path = path, .what = now.empty() ? "deleted" : "modified", .blob = id});
  }
  return strayed;
}

std::string list_of(const std::vector<Strayed>& strayed) {
  std::string list;
  for (std::size_t i = 0; i < std::min(strayed.size(), kMostNamed); ++i) {
    list += fmt::format("{}{} ({})", i == 0 ? "" : ", ", strayed[i].path, strayed[i].what);
  }
  if (strayed.size() > kMostNamed) {
    list += fmt::format(" and {} more", strayed.size() - kMostNamed);
  }
  return list + hint_on(strayed);
}

void require_nothing_strayed(const Status& status) {
  if (!status.strayed.empty()) refuse_strayed(status.run, status.strayed);
}

}  // namespace autokernel::loop
