#include "autokernel/cases/editable_files.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"

namespace autokernel::cases {
namespace {

namespace fs = std::filesystem;

// Of a pattern. glibc's fnmatch tries all ways to divide a name among its stars.
constexpr std::size_t kLongestPattern = 256;
constexpr std::size_t kMostStars = 8;
// Entries of folders that are looked at: a second's worth.
constexpr std::size_t kMostEntries = 100'000;
// Folders within each other, each of which is open meanwhile.
constexpr std::size_t kDeepest = 32;

using Names = std::vector<std::string>;

// "a/b" as "a" and "b".
Names names_in(std::string_view path) {
  Names names;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    names.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

// What can be written behind #include, between quotation marks, and is a name to git on any system:
// '/' and '*' together begin a comment for whoever reads it otherwise than a compiler, and '~' and
// ':' are in names that git refuses.
bool can_be_included(std::string_view path) {
  constexpr std::string_view kNever = "\"\\*~:";
  return std::ranges::all_of(path, [&](char c) {
    return c >= ' ' && c <= '~' && kNever.find(c) == std::string_view::npos;
  });
}
// The same of a pattern.
bool can_match_such(std::string pattern) {
  std::erase(pattern, '*');
  return can_be_included(pattern);
}

// Whether every name has its pattern; with Extent::beginning whether more names could complete it.
enum class Extent : std::uint8_t { whole, beginning };
bool match(const Names& patterns, const Names& names, Extent extent) {
  // Which numbers of patterns the names so far can have used up.
  std::vector<bool> used(patterns.size() + 1, false);
  const auto pass_folders = [&] {
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (used[i] && patterns[i] == "**") used[i + 1] = true;
    }
  };
  used[0] = true;
  pass_folders();
  for (const std::string& name : names) {
    std::vector<bool> next(patterns.size() + 1, false);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (!used[i]) continue;
      if (patterns[i] == "**") {
        next[i] = true;
      } else if (fnmatch(patterns[i].c_str(), name.c_str(), FNM_PERIOD | FNM_NOESCAPE) == 0) {
        next[i + 1] = true;
      }
    }
    used = std::move(next);
    pass_folders();
  }
  if (extent == Extent::whole) return used.back();
  return std::find(used.begin(), used.end() - 1, true) != used.end() - 1;
}

// Nor is what Python leaves beside every file that is imported anybody's source.
bool is_hidden(const std::string& name) {
  return name.empty() || name.front() == '.' || name == "__pycache__";
}

[[noreturn]] void refuse(const fs::path& folder, const std::string& problem) {
  throw Error(Stop::usage,
              fmt::format("cannot read the kernel's files below {}: {}", folder.string(), problem));
}

void require_small(const std::map<std::string, std::string>& files, const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& [path, text] : files) bytes += text.size();
  if (bytes <= kLargestSource) return;
  refuse(folder, fmt::format("they have {} MiB; those of a kernel have at most {} together",
                             bytes >> 20U, kLargestSource >> 20U));
}

}  // namespace

EditableFiles::EditableFiles(std::vector<std::string> patterns, std::set<std::string> fixed)
    : patterns_(std::move(patterns)), fixed_(std::move(fixed)) {}

bool EditableFiles::contain(std::string_view path) const {
  const Names names = names_in(path);
  if (!can_be_included(path) || names.size() > kDeepest || std::ranges::any_of(names, is_hidden))
    return false;
  const bool is_fixed = std::ranges::any_of(fixed_, [&](const std::string& each) {
    return path == each || (each.ends_with('/') && path.starts_with(each));
  });
  return !is_fixed && std::ranges::any_of(patterns_, [&](const std::string& pattern) {
    return match(names_in(pattern), names, Extent::whole);
  });
}

bool EditableFiles::may_lie_in(std::string_view folder) const {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  if (folder.empty()) return !empty();
  const Names names = names_in(folder);
  if (!can_be_included(folder) || names.size() >= kDeepest || std::ranges::any_of(names, is_hidden))
    return false;
  return std::ranges::any_of(patterns_, [&](const std::string& pattern) {
    return match(names_in(pattern), names, Extent::beginning);
  });
}

std::vector<std::string> EditableFiles::without_match(const std::vector<std::string>& paths) const {
  std::vector<std::string> idle;
  for (const std::string& pattern : patterns_) {
    const bool matches = std::ranges::any_of(paths, [&](const std::string& path) {
      return match(names_in(pattern), names_in(path), Extent::whole);
    });
    if (!matches) idle.push_back(pattern);
  }
  return idle;
}

std::vector<std::string> EditableFiles::find(const fs::path& folder,
                                             std::vector<std::string>* repositories) const {
  std::vector<std::string> found;
  if (empty()) return found;
  std::error_code failed;
  std::size_t entries = 0;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                      failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    if (++entries > kMostEntries) {
      refuse(folder,
             fmt::format("there are more than {} files to look through; name the folders that "
                         "they are in, as in \"include/*.cuh\"",
                         kMostEntries));
    }
    const std::string path = at->path().lexically_relative(folder).generic_string();
    const fs::file_type type = at->symlink_status(failed).type();
    if (type == fs::file_type::directory) {
      const bool may_hold = may_lie_in(path);
      // A repository of its own is none of this one's files.
      const bool is_repository =
          may_hold && fs::exists(fs::symlink_status(at->path() / ".git", failed));
      if (is_repository && repositories != nullptr) repositories->push_back(path);
      if (is_repository || !may_hold) at.disable_recursion_pending();
    } else if (type == fs::file_type::regular && contain(path)) {
      found.push_back(path);
    }
  }
  if (failed) refuse(folder, failed.message());
  std::ranges::sort(found);
  return found;
}

std::map<std::string, std::string> EditableFiles::read(const fs::path& folder) const {
  std::map<std::string, std::string> files;
  const std::vector<std::string> paths = find(folder);
  if (paths.size() > kMostEditableFiles) {
    refuse(folder,
           fmt::format("there are {}; a kernel has at most {}", paths.size(), kMostEditableFiles));
  }
  for (const std::string& path : paths) {
    auto text = read_file_below(folder, path, "a file of the kernel's", kLargestSource);
    if (text) files[path] = *std::move(text);
  }
  require_small(files, folder);
  return files;
}

KernelSource read_kernel(const fs::path& main_file, const EditableFiles& others,
                         std::string_view role) {
  return read_kernel_in(fs::absolute(main_file).parent_path(), main_file.filename().string(),
                        others, role);
}

KernelSource read_kernel_in(const fs::path& folder, const std::string& main,
                            const EditableFiles& others, std::string_view role) {
  KernelSource kernel{.text = read_file(folder / main, role, kLargestSource),
                      .files = others.read(folder),
                      .name = main};
  kernel.files.erase(main);
  return kernel;
}

std::string pattern_fault(const std::string& pattern) {
  if (pattern.empty()) return "is empty";
  if (pattern.size() > kLongestPattern)
    return fmt::format("has {} characters; write at most {}", pattern.size(), kLongestPattern);
  if (!can_match_such(pattern))
    return "has a character that such a name may not have; rename the file, with printable ASCII";
  if (pattern.front() == ' ' || pattern.back() == ' ') return "begins or ends with a blank";
  if (pattern.front() == '!') return "begins with '!', which has no meaning here";
  if (pattern.front() == '/') return "is absolute; write it from the folder of case.toml";
  if (pattern.back() == '/') return fmt::format("is a folder; write \"{}*.cuh\"", pattern);
  if (std::ranges::count(pattern, '*') > static_cast<std::ptrdiff_t>(kMostStars))
    return fmt::format("has more than {} stars", kMostStars);
  const Names names = names_in(pattern);
  for (const std::string& name : names) {
    if (name == "..") return "leads out of the folder of case.toml; move the files into it";
    if (name == ".") return "has a '.' among its folders; leave it out";
    if (name.empty()) return "has two '/' in a row";
    if (name.front() == '.') return "names what begins with '.', which is never the kernel's";
    if (name != "**" && name.find("**") != std::string::npos)
      return R"(has "**" within a name; it stands for whole folders, as in "include/**/*.cuh")";
    if (name.find('[') != std::string::npos && name.find(']') == std::string::npos)
      return "has a '[' that is not closed";
    if (name.find('{') != std::string::npos)
      return "has a '{'; write each alternative as a pattern of its own";
  }
  if (names.back() == "**") return fmt::format(R"(ends in "**"; write "{}/*.cuh")", pattern);
  return {};
}

std::vector<std::string> patterns_of_any_header() {
  std::vector<std::string> patterns;
  for (const char* ending : {"cuh", "h", "hpp", "hxx", "hh", "inl", "inc", "cu"})
    patterns.push_back(fmt::format("**/*.{}", ending));
  return patterns;
}

std::vector<std::string> patterns_of_images() { return {"*.ptx", "*.cubin", "*.fatbin"}; }

}  // namespace autokernel::cases
