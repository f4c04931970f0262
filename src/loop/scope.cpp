#include "loop/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/cases/case.h"
#include "loop/folders.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

// As many as a person reads; the rest is counted.
constexpr std::size_t kMostNamed = 20;

}  // namespace

std::map<std::string, std::string> guarded_files(const repo::Repository& repository,
                                                 const fs::path& case_directory) {
  const cases::Case problem = cases::load(case_directory);
  std::vector<fs::path> files = {case_directory / "case.toml", repository.root() / "program.md"};
  if (const auto* reference = std::get_if<cases::KernelReference>(&problem.reference)) {
    files.push_back(case_directory / reference->file);
    if (!reference->fp64_file.empty()) files.push_back(case_directory / reference->fp64_file);
  }
  std::map<std::string, std::string> guarded;
  for (const fs::path& file : files) {
    const std::string path = repository.relative(file);
    if (std::string id = repository.hash_of(path); !id.empty()) guarded[path] = std::move(id);
  }
  return guarded;
}

std::vector<ledger::Unsaved> unsaved_files(const repo::Repository& repository,
                                           const std::string& editable) {
  std::vector<ledger::Unsaved> unsaved;
  const auto is_the_loops = [&](const std::string& path) {
    return path == editable || Folders::are_own(path);
  };
  for (const repo::Change& change : repository.changes(is_the_loops)) {
    unsaved.push_back({.path = change.path, .blob = change.blob});
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
  for (const repo::Change& change : changes) {
    if (change.path == run.editable) continue;
    seen.insert(change.path);
    if (is_in_unsaved_folder(change.path)) continue;
    const auto then = unsaved_then(change.path);
    if (then == run.unsaved.end()) {
      strayed.push_back({.path = change.path, .what = change.what, .blob = {}});
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
  return list;
}

void require_nothing_strayed(const Status& status) {
  if (status.strayed.empty()) return;
  throw Error(
      Stop::scope,
      fmt::format("only {} may change in a run, but these have: {}; nothing was done. Put "
                  "them back ('git checkout -- PATH', or remove what is new) and step again",
                  status.run.editable, status.strayed));
}

}  // namespace autokernel::loop
