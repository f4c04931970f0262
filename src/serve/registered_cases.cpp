#include "serve/registered_cases.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/case.h"
#include "autokernel/trial/command.h"
#include "autokernel/trial/order.h"
#include "autokernel/trial/sources.h"

namespace autokernel::serve {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] bool is_case(const fs::path& directory) {
  std::error_code unreadable;
  return fs::is_regular_file(directory / "case.toml", unreadable);
}

// A case that a client can change is that client's, and no judge's.
void require_own(const fs::path& path) {
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0) return;
  const bool is_owned = found.st_uid == ::geteuid() || found.st_uid == 0;
  const bool is_for_others = (found.st_mode & S_IWOTH) != 0 ||
                             ((found.st_mode & S_IWGRP) != 0 && found.st_gid != ::getegid());
  if (is_owned && !is_for_others) return;
  throw Error(Stop::usage,
              fmt::format("cannot judge by the case of {}: others than the judge can change it; "
                          "have the judge's user or root own it, and nobody else write to it",
                          path.string()));
}

// A folder in which others can put another in the place of what is in it. Where it is sticky, as
// /tmp is, they cannot.
void require_fixed(const fs::path& folder) {
  struct stat found{};
  if (::stat(folder.c_str(), &found) != 0 || (found.st_mode & S_ISVTX) != 0) return;
  require_own(folder);
}

[[nodiscard]] std::string text_beside(const fs::path& file) {
  std::error_code unreadable;
  return fs::exists(file, unreadable) ? read_file(file, "a definition") : std::string();
}

}  // namespace

RegisteredCases::RegisteredCases(const std::vector<fs::path>& paths) {
  for (const fs::path& path : paths) {
    std::error_code unreadable;
    const fs::path whole = fs::weakly_canonical(path, unreadable);
    std::vector<fs::path> found;
    if (is_case(whole)) found.push_back(whole);
    for (const auto& entry : fs::directory_iterator(whole, unreadable))
      if (is_case(entry.path())) found.push_back(entry.path());
    if (!fs::exists(whole, unreadable)) {
      throw Error(Stop::usage, fmt::format("cannot judge by {}: there is no such folder",
                                           visible_line(path.string())));
    }
    if (found.empty()) {
      throw Error(Stop::usage, fmt::format("cannot judge by {}: there is no case.toml in it, nor "
                                           "in a folder of it",
                                           visible_line(path.string())));
    }
    std::ranges::sort(found);
    for (const fs::path& directory : found) add(directory);
  }
}

void RegisteredCases::add(const fs::path& directory) {
  RegisteredCase added;
  added.name = directory.filename().string();
  added.directory = directory;
  cases::CaseFiles files = cases::read_files(directory);
  const cases::Case problem = cases::parse(files);
  if (problem.command) return;  // it builds and runs what a client sends as the judge's user
  require_own(directory);
  for (const auto& [path, bytes] : files.bytes) require_own(directory / path);
  for (fs::path above = directory.parent_path(); above != above.root_path();
       above = above.parent_path())
    require_fixed(above);
  if (!files.headers.empty()) {
    throw Error(Stop::usage, fmt::format("cannot judge by the case of {}: it includes folders "
                                         "([compile] include), which may change",
                                         directory.string()));
  }
  added.problem = problem.problem;
  for (const auto& [size, symbols] : problem.sizes) added.sizes.push_back(size);
  added.definition = {.definition = text_beside(directory / "definition.json"),
                      .workloads = text_beside(directory / "workloads.jsonl"),
                      .problem = text_beside(directory / "problem.json")};
  if (!added.definition.definition.empty()) {
    added.definition_name =
        bridge::definition_name(added.definition.definition).value_or(std::string());
  }
  added.request.case_directory = directory;
  added.request.kernel_file = problem.kernel_file();
  trial::take_case(added.request, std::move(files));
  added.digest = trial::digest_of_case(added.request);
  const auto [place, is_new] = by_name_.try_emplace(added.name, added);
  if (is_new || place->second.directory == directory) return;
  throw Error(Stop::usage, fmt::format("cannot judge by both {} and {}: two cases need two names",
                                       place->second.directory.string(), directory.string()));
}

const RegisteredCase* RegisteredCases::named(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

const RegisteredCase* RegisteredCases::with_digest(const std::string& digest) const {
  const auto found = std::ranges::find_if(
      by_name_, [&](const auto& entry) { return entry.second.digest == digest; });
  return found == by_name_.end() ? nullptr : &found->second;
}

const RegisteredCase* RegisteredCases::of_definition(const std::string& definition) const {
  const auto found = std::ranges::find_if(
      by_name_, [&](const auto& entry) { return entry.second.definition_name == definition; });
  return found == by_name_.end() || definition.empty() ? nullptr : &found->second;
}

}  // namespace autokernel::serve
