// What a repository says and does about files of its worktree, index and head aside.
#include <fmt/format.h>

#include "repo/git_failure.h"
#include "repo/nonblocking_open.h"
#include "repo/objects.h"
#include "repo/worktree.h"

namespace autokernel::repo {

namespace fs = std::filesystem;

namespace {

// The path from the root; none where it leads out of it.
[[nodiscard]] std::optional<std::string> within(const fs::path& root, const fs::path& path) {
  std::string from_root = path.lexically_relative(root).generic_string();
  if (from_root == ".") return "";
  if (from_root.empty() || from_root == ".." || from_root.starts_with("../")) return std::nullopt;
  return from_root;
}

}  // namespace

std::string Repository::relative(const fs::path& path) const {
  fs::path asked = fs::absolute(path).lexically_normal();
  if (!asked.has_filename()) asked = asked.parent_path();
  // A link that git knows is a file of its own; one that leads to the worktree from elsewhere is
  // followed.
  const fs::path as_named = fs::weakly_canonical(asked.parent_path()) / asked.filename();
  if (auto inside = within(root(), as_named)) return *inside;
  if (auto inside = within(root(), fs::weakly_canonical(asked))) return *inside;
  throw Error(Stop::usage, fmt::format("{} is not in the repository {}; name a file below it",
                                       path.string(), root().string()));
}

bool Repository::file_matches(const std::string& commit, const std::string& path) const {
  const NonblockingOpen nonblocking;
  const auto entry = file_in_commit(opened_->git(), commit, path,
                                    fmt::format("cannot compare {} with commit {}", path, commit));
  const auto blob = blob_of(*opened_, path, Keep::no);
  return entry && blob && git_oid_equal(&entry->id, &*blob) != 0;
}

std::string Repository::hash_of(const std::string& path) const {
  const NonblockingOpen nonblocking;
  const auto blob = blob_of(*opened_, path, Keep::no);
  return blob ? text_of(*blob) : "";
}

std::string Repository::store(const std::string& path) const {
  const NonblockingOpen nonblocking;
  const auto blob = blob_of(*opened_, path, Keep::yes);
  if (!blob) {
    throw Error(Stop::repository,
                fmt::format("cannot store {}: there is no such file in {}", path, root().string()));
  }
  return text_of(*blob);
}

std::string Repository::hash_as(const std::string& path, std::string_view bytes) const {
  const NonblockingOpen nonblocking;
  return text_of(blob_of_text(*opened_, path, bytes, Keep::no));
}

std::string Repository::store_as(const std::string& path, std::string_view bytes) const {
  const NonblockingOpen nonblocking;
  return text_of(blob_of_text(*opened_, path, bytes, Keep::yes));
}

void Repository::put_back(const std::string& blob, const std::string& path) const {
  const NonblockingOpen nonblocking;
  write_file(*opened_, id_of(blob, fmt::format("cannot put back {}", path)), path);
}

bool Repository::is_ignored(const std::string& path) const {
  const NonblockingOpen nonblocking;
  int is_ignored = 0;
  check(git_ignore_path_is_ignored(&is_ignored, opened_->git(), path.c_str()),
        fmt::format("cannot find out whether git ignores {}", path), "git_ignore_path_is_ignored");
  return is_ignored != 0;
}

void Repository::remove(const std::string& path) const { remove_file(*opened_, path); }

}  // namespace autokernel::repo
