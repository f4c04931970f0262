// Whether a checkout by git writes the bytes that its store holds, which are those that are judged.
// It does not where an attribute has it convert them, or where another object stands for one of the
// commit (git replace), which libgit2 does not look at.
#include <fmt/format.h>
#include <git2/sys/repository.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "autokernel/base/files.h"
#include "repo/file_rules.h"
#include "repo/git_failure.h"
#include "repo/nonblocking_open.h"
#include "repo/objects.h"
#include "repo/worktree.h"

namespace autokernel::repo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kReplacements = "refs/replace/";

// What git writes in the place of what its store holds, by attribute.
struct Conversion {
  const char* attribute;
  const char* what;
};
constexpr std::array kConversions = {
    Conversion{.attribute = "filter", .what = "has it rewritten by a program"},
    Conversion{.attribute = "working-tree-encoding", .what = "has it written in another encoding"},
    Conversion{.attribute = "ident", .what = "puts an id in the place of $Id$"}};

// Whether the attribute is set, as git looks for it when it compares (the worktree's .gitattributes
// first) or when it checks out (the index's first).
[[nodiscard]] bool is_set(const OpenRepository& open, const std::string& path,
                          const char* attribute, const std::string& attempt) {
  return std::ranges::any_of(
      std::array{GIT_ATTR_CHECK_FILE_THEN_INDEX, GIT_ATTR_CHECK_INDEX_THEN_FILE}, [&](int order) {
        const char* value = nullptr;
        check(git_attr_get(&value, open.git(), static_cast<std::uint32_t>(order), path.c_str(),
                           attribute),
              attempt, "git_attr_get");
        const git_attr_value_t kind = git_attr_value(value);
        return kind == GIT_ATTR_VALUE_STRING || kind == GIT_ATTR_VALUE_TRUE;
      });
}

// Where git looks for a file's attributes.
[[nodiscard]] std::vector<fs::path> places_of_attributes(const OpenRepository& open,
                                                         const std::string& path) {
  std::vector<fs::path> places;
  for (fs::path folder = fs::path(path).parent_path();; folder = folder.parent_path()) {
    places.push_back(open.root / folder / ".gitattributes");
    if (folder.empty()) break;
  }
  places.push_back(open.common_folder / "info/attributes");
  if (const auto users = rules_file(open, RulesFile::attributes)) places.push_back(*users);
  places.emplace_back("/etc/gitattributes");
  return places;
}

// What git and libgit2 read differently: a pattern in quotes, which git takes without them, and a
// long line, which git passes over (attr.h: ATTR_MAX_LINE_LENGTH). Empty where there is neither.
[[nodiscard]] std::string read_differently(const OpenRepository& open, const std::string& path) {
  constexpr std::size_t kLongestLine = 2048;
  for (const fs::path& place : places_of_attributes(open, path)) {
    std::string text;
    try {
      text = read_file(place, "git's attributes");
    } catch (const Error&) {
      continue;  // most do not exist
    }
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t first = line.find_first_not_of(" \t");
      if (line.size() >= kLongestLine) {
        return fmt::format("{} has a line of {} bytes, which git passes over", place.string(),
                           line.size());
      }
      if (first != std::string::npos && line[first] == '"') {
        return fmt::format("{} has a pattern in quotes ({})", place.string(), line.substr(first));
      }
    }
  }
  return {};
}

// The files that speak of the attribute, for messages: libgit2 does not tell which one sets it.
[[nodiscard]] std::string files_with(const OpenRepository& open, const std::string& path,
                                     const char* attribute) {
  std::string list;
  for (const fs::path& place : places_of_attributes(open, path)) {
    try {
      if (read_file(place, "git's attributes").find(attribute) == std::string::npos) continue;
      list += (list.empty() ? "" : " or ") + place.string();
    } catch (const Error&) {
      continue;  // most do not exist
    }
  }
  return list.empty() ? "git's attributes" : list;
}

// NVRTC takes both line ends for the same, also within a raw string.
[[nodiscard]] std::string with_plain_line_ends(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_part_of_end = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!is_part_of_end) plain += text[i];
  }
  return plain;
}

[[nodiscard]] bool is_written_as_stored(const OpenRepository& open, const git_oid& id,
                                        const std::string& path, std::string& stored,
                                        const std::string& attempt) {
  git_blob* blob = nullptr;
  check(git_blob_lookup(&blob, open.git(), &id), attempt, "git_blob_lookup");
  const Owned<git_blob*> owned = own(blob);
  stored.assign(static_cast<const char*>(git_blob_rawcontent(blob)),
                static_cast<std::size_t>(git_blob_rawsize(blob)));
  return with_plain_line_ends(as_written(open, blob, path, attempt)) ==
         with_plain_line_ends(stored);
}

// The objects that others stand for.
[[nodiscard]] std::vector<std::string> replaced(const OpenRepository& open) {
  const std::string attempt =
      fmt::format("cannot look for replaced objects in {}", open.root.string());
  git_reference_iterator* iterator = nullptr;
  check(git_reference_iterator_glob_new(&iterator, open.git(),
                                        (std::string(kReplacements) + "*").c_str()),
        attempt, "git_reference_iterator_glob_new");
  const Owned<git_reference_iterator*> owned = own(iterator);
  std::vector<std::string> ids;
  for (;;) {
    const char* name = nullptr;
    const int status = git_reference_next_name(&name, iterator);
    if (status == GIT_ITEROVER) return ids;
    check(status, attempt, "git_reference_next_name");
    ids.emplace_back(std::string_view(name).substr(kReplacements.size()));
  }
}

// A file or a folder, of whatever commit.
[[nodiscard]] bool is_of_files(const OpenRepository& open, const std::string& id,
                               const std::string& attempt) {
  git_oid wanted{};
  if (git_oid_fromstr(&wanted, id.c_str()) != 0) return false;
  git_object* object = nullptr;
  if (!found(git_object_lookup(&object, open.git(), &wanted, GIT_OBJECT_ANY), attempt,
             "git_object_lookup")) {
    return false;
  }
  const Owned<git_object*> owned = own(object);
  const git_object_t type = git_object_type(object);
  return type == GIT_OBJECT_BLOB || type == GIT_OBJECT_TREE;
}

}  // namespace

std::string Repository::checkout_fault(const std::string& commit, const std::string& path) const {
  const NonblockingOpen nonblocking;
  const std::string attempt =
      fmt::format("cannot find out what a checkout of {} would write", path);
  const auto file = file_in_commit(opened_->git(), commit, path, attempt);
  if (!file) return {};
  // It keeps what it has read of attributes for as long as the files look the same.
  git_attr_cache_flush(opened_->git());
  if (const std::string what = read_differently(*opened_, path); !what.empty()) {
    return fmt::format(
        "what a checkout of {} writes cannot be told: {}, and not every program reads that alike; "
        "write that line in another way",
        path, what);
  }
  std::string stored;
  const bool is_same = is_written_as_stored(*opened_, file->id, path, stored, attempt);
  for (const auto& [attribute, what] : kConversions) {
    if (!is_set(*opened_, path, attribute, attempt)) continue;
    // libgit2 and git do not agree on every $Id$.
    const bool is_ident = std::string_view(attribute) == "ident";
    if (is_ident && is_same && stored.find("$Id") == std::string::npos) continue;
    return fmt::format(
        "a checkout of {} would not write the bytes that are judged: the attribute '{}', set in "
        "{}, {}; remove the attribute from that file",
        path, attribute, files_with(*opened_, path, attribute), what);
  }
  if (is_same) return {};
  return fmt::format(
      "a checkout of {} would not write the bytes that are judged: git's attributes have them "
      "converted; 'git check-attr -a {}' shows which, remove them",
      path, path);
}

std::vector<std::string> Repository::replaced_objects(
    const std::vector<std::string>& commits) const {
  const NonblockingOpen nonblocking;
  const std::set<std::string> ours(commits.begin(), commits.end());
  std::vector<std::string> found_ones;
  for (const std::string& id : replaced(*opened_)) {
    const std::string attempt = fmt::format("cannot look at the replaced object {}", id);
    if (ours.contains(id) || is_of_files(*opened_, id, attempt)) {
      found_ones.push_back(std::string(kReplacements) + id);
    }
  }
  return found_ones;
}

}  // namespace autokernel::repo
