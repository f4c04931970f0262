#include "cli/case/catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <ranges>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "cli/default_case.h"
#include "cli/folders.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCaseFile = "case.toml";
// Of folders below the one that is looked through. Cases lie near the top: kernels/softmax.
constexpr int kDeepest = 6;
// Entries that are looked at: a second's worth.
constexpr std::size_t kMostEntries = 100'000;

// Where cases lie beside the running program: as installed, then as in a build tree, where CMake
// makes the links `kernels` and `commands`.
constexpr std::array kBesideProgram = {"share/autokernel/kernels", "share/autokernel/cases",
                                       "kernels", "commands"};

[[nodiscard]] bool is_hidden(const fs::path& path) {
  return path.filename().native().starts_with('.');
}

// Folders with a case.toml at or below `root`, in order.
[[nodiscard]] std::vector<fs::path> cases_below(const fs::path& root, bool& is_cut) {
  std::vector<fs::path> found;
  std::size_t looked_at = 0;
  std::error_code failed;
  fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    if (++looked_at > kMostEntries) {
      is_cut = true;
      break;
    }
    std::error_code unreadable;
    const fs::file_type type = at->symlink_status(unreadable).type();
    const bool is_entered = type == fs::file_type::directory && !is_hidden(at->path());
    if (!is_entered || at.depth() + 1 >= kDeepest) at.disable_recursion_pending();
    if (type == fs::file_type::regular && at->path().filename() == kCaseFile) {
      found.push_back(at->path().parent_path());
    }
  }
  std::ranges::sort(found);
  return found;
}

[[nodiscard]] std::vector<fs::path> folders_beside_program() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  const fs::path prefix = program.parent_path().parent_path();
  std::vector<fs::path> folders;
  for (const char* const each : kBesideProgram) {
    const fs::path folder = fs::canonical(prefix / each, failed);
    if (!failed) folders.push_back(folder);
  }
  return folders;
}

// The case's own name; empty where its file cannot be read.
[[nodiscard]] std::string name_in(const fs::path& folder) {
  try {
    return outline(folder).name;
  } catch (const Error&) {
    return {};
  }
}

[[nodiscard]] std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

[[nodiscard]] std::ptrdiff_t depth_of(const fs::path& folder) {
  return std::distance(folder.begin(), folder.end());
}

// Examples below a case bear its name, too.
[[nodiscard]] std::vector<fs::path> nearest_to_the_top(std::vector<fs::path> folders) {
  if (folders.empty()) return folders;
  const std::ptrdiff_t least = std::ranges::min(folders | std::views::transform(depth_of));
  std::erase_if(folders, [&](const fs::path& each) { return depth_of(each) > least; });
  return folders;
}

[[nodiscard]] std::vector<fs::path> called(const std::string& name, const Catalog& catalog,
                                           bool installed) {
  std::vector<fs::path> by_folder;
  std::vector<fs::path> by_name;
  for (const Listed& each : catalog.cases) {
    if (each.is_installed != installed) continue;
    if (each.folder.filename() == name) by_folder.push_back(each.folder);
    if (lower(name_in(each.folder)) == lower(name)) by_name.push_back(each.folder);
  }
  return nearest_to_the_top(by_folder.empty() ? by_name : by_folder);
}

[[nodiscard]] bool is_path(const std::string& named) {
  return named.find('/') != std::string::npos || named == "." || named == "..";
}

// Not the one that bench falls back on, which lies with the program.
[[nodiscard]] fs::path case_here(const fs::path& here) {
  std::error_code unreadable;
  for (const fs::path& folder : {here, here / "kernels"}) {
    if (fs::exists(folder / kCaseFile, unreadable)) return folder;
  }
  throw Error(Stop::usage,
              fmt::format("there is no case in {}, nor in a folder kernels there; name "
                          "one that 'autokernel case list' shows, or make one: "
                          "autokernel init",
                          here.string()));
}

}  // namespace

Catalog find_cases(const fs::path& here) {
  Catalog catalog;
  const fs::path root = repository_of(here).value_or(here);
  for (const fs::path& folder : cases_below(root, catalog.is_cut)) {
    catalog.cases.push_back({.folder = folder, .is_installed = false});
  }
  for (const fs::path& installed : folders_beside_program()) {
    // In the program's own sources they are the repository's.
    const auto is_known = [&](const fs::path& folder) {
      std::error_code unreadable;
      return std::ranges::any_of(catalog.cases, [&](const Listed& each) {
        return fs::equivalent(each.folder, folder, unreadable);
      });
    };
    for (const fs::path& folder : cases_below(installed, catalog.is_cut)) {
      if (!is_known(folder)) catalog.cases.push_back({.folder = folder, .is_installed = true});
    }
  }
  return catalog;
}

cases::Case outline(const fs::path& folder) {
  const auto text = read_file_below(folder, kCaseFile, "the case");
  if (!text) {
    throw Error(Stop::usage, fmt::format("there is no {}", (folder / kCaseFile).string()));
  }
  return cases::parse(*text, folder);
}

fs::path named_case(const std::optional<std::string>& named, const fs::path& here) {
  if (!named) return case_here(here);
  if (named->empty()) throw Error(Stop::usage, "the case has no name; write a folder or a name");
  std::error_code unreadable;
  fs::path folder = (here / *named).lexically_normal();
  const bool is_file = folder.filename() == kCaseFile && fs::is_regular_file(folder, unreadable);
  if (is_file || !folder.has_filename()) folder = folder.parent_path();  // "kernels/rows/"
  if (fs::exists(folder / kCaseFile, unreadable)) return folder;
  if (is_path(*named)) return existing_case(*named);
  const Catalog catalog = find_cases(here);
  for (const bool installed : {false, true}) {
    const std::vector<fs::path> found = called(*named, catalog, installed);
    if (found.size() == 1) return found.front();
    if (found.size() > 1) {
      std::vector<std::string> folders;
      folders.reserve(found.size());
      for (const fs::path& each : found) folders.push_back(shown_folder(each, here));
      throw Error(Stop::usage, fmt::format("there are several cases called {}; write the folder "
                                           "of one: {}",
                                           *named, fmt::join(folders, ", ")));
    }
  }
  throw Error(Stop::usage, fmt::format("there is no case {}; 'autokernel case list' shows those "
                                       "that there are",
                                       visible_line(*named)));
}

fs::path installed_case(const std::string& folder) {
  bool is_cut = false;
  std::vector<fs::path> found;
  for (const fs::path& installed : folders_beside_program()) {
    for (const fs::path& each : cases_below(installed, is_cut)) {
      if (each.filename() == folder) found.push_back(each);
    }
  }
  if (found.empty()) {
    throw Error(
        Stop::environment,
        fmt::format("the case {} that comes with autokernel is missing; install it again", folder));
  }
  return nearest_to_the_top(found).front();
}

void add_named_case(Options options, std::optional<std::string>& named) {
  options
      .add_option("CASE", named,
                  "Folder of a case, or a name that 'autokernel case list' shows (default: "
                  "./kernels, or . if it has a case.toml)")
      .type_name("DIR");
}

void require_size(const cases::Case& problem, const std::string& size) {
  if (problem.sizes.contains(size)) return;
  throw Error(Stop::usage,
              fmt::format("case {} has no size \"{}\"; it has {}", visible_line(problem.name),
                          visible_line(size), fmt::join(cases::size_names(problem), ", ")));
}

std::string shown_folder(const fs::path& folder, const fs::path& here) {
  const fs::path within = folder.lexically_relative(here);
  const bool is_below = !within.empty() && *within.begin() != "..";
  return (is_below ? within : folder).string();
}

}  // namespace autokernel::cli
