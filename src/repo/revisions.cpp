// Looking at commits that are there: by name, by descent, by file.
#include <fmt/format.h>

#include "repo/git_failure.h"
#include "repo/nonblocking_open.h"
#include "repo/objects.h"
#include "repo/open_repository.h"

namespace autokernel::repo {

std::string Repository::resolve(const std::string& revision) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot find a commit by the name '{}'", revision);
  git_object* named = nullptr;
  const int parsed = git_revparse_single(&named, opened_->git(), revision.c_str());
  const Owned<git_object*> owned_name = own(named);
  if (parsed < 0) throw git_failure(parsed, attempt, "git_revparse_single", Stop::usage);
  git_object* commit = nullptr;
  const int peeled = git_object_peel(&commit, named, GIT_OBJECT_COMMIT);
  const Owned<git_object*> owned_commit = own(commit);
  if (peeled < 0) throw git_failure(peeled, attempt, "git_object_peel", Stop::usage);
  return text_of(*git_object_id(commit));
}

std::optional<std::string> Repository::parent_of(const std::string& commit) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot find the parent of commit {}", commit);
  const Owned<git_commit*> child = commit_of(opened_->git(), commit, attempt);
  if (git_commit_parentcount(child.get()) == 0) return std::nullopt;
  return text_of(*git_commit_parent_id(child.get(), 0));
}

std::optional<std::string> Repository::file_at(const std::string& commit,
                                               const std::string& path) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot read {} in commit {}", path, commit);
  const auto entry = file_in_commit(opened_->git(), commit, path, attempt);
  if (!entry) return std::nullopt;
  git_blob* blob = nullptr;
  check(git_blob_lookup(&blob, opened_->git(), &entry->id), attempt, "git_blob_lookup");
  const Owned<git_blob*> owned = own(blob);
  const auto size = static_cast<std::size_t>(git_blob_rawsize(blob));
  return std::string(static_cast<const char*>(git_blob_rawcontent(blob)), size);
}

std::optional<std::string> Repository::blob_at(const std::string& commit,
                                               const std::string& path) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot find {} in commit {}", path, commit);
  const auto entry = file_in_commit(opened_->git(), commit, path, attempt);
  if (!entry) return std::nullopt;
  return text_of(entry->id);
}

namespace {

struct Listing {
  std::string folder;  // with '/' behind it; empty for the root
  std::map<std::string, std::string> files;
};

int list(const char* folder, const git_tree_entry* entry, void* listing) {
  const git_filemode_t mode = git_tree_entry_filemode(entry);
  if (mode != GIT_FILEMODE_BLOB && mode != GIT_FILEMODE_BLOB_EXECUTABLE) return 0;
  auto& found = *static_cast<Listing*>(listing);
  found.files[found.folder + folder + git_tree_entry_name(entry)] =
      text_of(*git_tree_entry_id(entry));
  return 0;
}

}  // namespace

bool Repository::is_odd_at(const std::string& commit, const std::string& path) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot find {} in commit {}", path, commit);
  const Owned<git_tree*> tree = tree_of(commit_of(opened_->git(), commit, attempt).get(), attempt);
  git_tree_entry* entry = nullptr;
  if (!found(git_tree_entry_bypath(&entry, tree.get(), path.c_str()), attempt,
             "git_tree_entry_bypath")) {
    return false;
  }
  const Owned<git_tree_entry*> owned = own(entry);
  const git_filemode_t mode = git_tree_entry_filemode(entry);
  return mode == GIT_FILEMODE_LINK || mode == GIT_FILEMODE_COMMIT;
}

std::map<std::string, std::string> Repository::files_below(const std::string& commit,
                                                           const std::string& folder) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot list the files of commit {}", commit);
  Owned<git_tree*> tree = tree_of(commit_of(opened_->git(), commit, attempt).get(), attempt);
  Listing listing{.folder = folder.empty() ? "" : folder + "/", .files = {}};
  if (!folder.empty()) {
    git_tree_entry* entry = nullptr;
    if (!found(git_tree_entry_bypath(&entry, tree.get(), folder.c_str()), attempt,
               "git_tree_entry_bypath")) {
      return {};
    }
    const Owned<git_tree_entry*> owned = own(entry);
    git_tree* below = nullptr;
    if (git_tree_entry_type(entry) != GIT_OBJECT_TREE) return {};
    check(git_tree_lookup(&below, opened_->git(), git_tree_entry_id(entry)), attempt,
          "git_tree_lookup");
    tree = own(below);
  }
  check(git_tree_walk(tree.get(), GIT_TREEWALK_PRE, list, &listing), attempt, "git_tree_walk");
  return std::move(listing.files);
}

}  // namespace autokernel::repo
