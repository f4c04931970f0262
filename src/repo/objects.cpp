#include "repo/objects.h"

#include <fmt/format.h>

#include "autokernel/repo/repository.h"
#include "repo/git_failure.h"

namespace autokernel::repo {

std::string text_of(const git_oid& id) {
  std::string text(GIT_OID_HEXSZ, '0');
  // It writes the digits and no terminator, and cannot fail.
  git_oid_fmt(text.data(), &id);
  return text;
}

git_oid id_of(const std::string& text, const std::string& attempt) {
  git_oid id{};
  if (text.size() != GIT_OID_HEXSZ || git_oid_fromstr(&id, text.c_str()) != 0) {
    throw Error(Stop::repository,
                fmt::format("{}: '{}' is not the id of an object", attempt, text));
  }
  return id;
}

Owned<git_commit*> commit_of(git_repository* git, const std::string& id,
                             const std::string& attempt) {
  const git_oid wanted = id_of(id, attempt);
  git_commit* commit = nullptr;
  check(git_commit_lookup(&commit, git, &wanted), attempt, "git_commit_lookup");
  return own(commit);
}

Owned<git_tree*> tree_of(git_commit* commit, const std::string& attempt) {
  git_tree* tree = nullptr;
  check(git_commit_tree(&tree, commit), attempt, "git_commit_tree");
  return own(tree);
}

std::optional<FileEntry> file_in(git_tree* tree, const std::string& path,
                                 const std::string& attempt) {
  git_tree_entry* entry = nullptr;
  if (!found(git_tree_entry_bypath(&entry, tree, path.c_str()), attempt, "git_tree_entry_bypath")) {
    return std::nullopt;
  }
  const Owned<git_tree_entry*> owned = own(entry);
  if (git_tree_entry_type(entry) != GIT_OBJECT_BLOB) return std::nullopt;
  return FileEntry{.id = *git_tree_entry_id(entry), .mode = git_tree_entry_filemode(entry)};
}

std::optional<FileEntry> file_in_commit(git_repository* git, const std::string& commit,
                                        const std::string& path, const std::string& attempt) {
  const Owned<git_commit*> found_commit = commit_of(git, commit, attempt);
  return file_in(tree_of(found_commit.get(), attempt).get(), path, attempt);
}

std::string hash_of_bytes(std::string_view bytes) {
  git_oid id{};
  check(git_odb_hash(&id, bytes.data(), bytes.size(), GIT_OBJECT_BLOB), "cannot hash a text",
        "git_odb_hash");
  return text_of(id);
}

}  // namespace autokernel::repo
