// Making commits, in git's store alone: neither the head nor the index nor a file is touched.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "repo/git_failure.h"
#include "repo/nonblocking_open.h"
#include "repo/objects.h"
#include "repo/worktree.h"

namespace autokernel::repo {
namespace {

constexpr const char* kFallbackName = "autokernel";
constexpr const char* kFallbackEmail = "autokernel@localhost";

// A setting without what git leaves out of names: it would end the name in a commit. Empty where it
// is not set.
[[nodiscard]] std::string name_setting(git_config* config, const char* name) {
  git_buf value = GIT_BUF_INIT;
  if (!found(git_config_get_string_buf(&value, config, name),
             fmt::format("cannot read git's setting {}", name), "git_config_get_string_buf")) {
    return "";
  }
  const Owned<git_buf*> owned = own(&value);
  std::string text(value.ptr, value.size);
  std::erase_if(text, [](char c) { return c == '<' || c == '>' || c == '\n'; });
  // A name of dots and spaces alone is none to git.
  const bool is_name = std::ranges::any_of(text, [](char c) {
    constexpr std::string_view kCrud = " .,:;\"\\'\t\r";
    return kCrud.find(c) == std::string_view::npos;
  });
  return is_name ? text : "";
}

[[nodiscard]] Owned<git_signature*> signature_of(const Identity& identity,
                                                 const std::string& attempt) {
  git_signature* signature = nullptr;
  check(git_signature_now(&signature, identity.name.c_str(), identity.email.c_str()), attempt,
        "git_signature_now");
  return own(signature);
}

[[nodiscard]] Owned<git_tree*> updated(const OpenRepository& open, git_tree* before,
                                       const std::vector<git_tree_update>& updates,
                                       const std::string& attempt) {
  git_oid id{};
  check(git_tree_create_updated(&id, open.git(), before, updates.size(), updates.data()), attempt,
        "git_tree_create_updated");
  git_tree* tree = nullptr;
  check(git_tree_lookup(&tree, open.git(), &id), attempt, "git_tree_lookup");
  return own(tree);
}

// The parent's tree with other files at these paths; of those without one, none.
[[nodiscard]] Owned<git_tree*> tree_with(
    const OpenRepository& open, git_tree* parent,
    const std::map<std::string, std::optional<FileEntry>>& files, const std::string& attempt) {
  std::vector<git_tree_update> removed;
  std::vector<git_tree_update> written;
  for (const auto& [path, file] : files) {
    if (file) {
      written.push_back({.action = GIT_TREE_UPDATE_UPSERT,
                         .id = file->id,
                         .filemode = file->mode,
                         .path = path.c_str()});
    } else if (file_in(parent, path, attempt)) {
      removed.push_back({.action = GIT_TREE_UPDATE_REMOVE,
                         .id = {},
                         .filemode = GIT_FILEMODE_UNREADABLE,
                         .path = path.c_str()});
    }
  }
  // One after the other, as a file may come in the place of a folder.
  const Owned<git_tree*> rest = updated(open, parent, removed, attempt);
  return updated(open, rest.get(), written, attempt);
}

[[nodiscard]] git_filemode_t mode_of_new(const OpenRepository& open, const struct stat& status) {
  const bool is_executable = (status.st_mode & S_IXUSR) != 0 && minds_file_modes(open);
  return is_executable ? GIT_FILEMODE_BLOB_EXECUTABLE : GIT_FILEMODE_BLOB;
}

// libgit2 starts no filter programs (git-lfs, git-crypt): a commit would hold what git keeps out of
// it.
void refuse_filter_program(const OpenRepository& open, const std::string& path,
                           const std::string& attempt) {
  const char* filter = nullptr;
  check(git_attr_get(&filter, open.git(), GIT_ATTR_CHECK_FILE_THEN_INDEX, path.c_str(), "filter"),
        attempt, "git_attr_get");
  if (git_attr_value(filter) != GIT_ATTR_VALUE_STRING) return;
  git_config* config = nullptr;
  check(git_repository_config_snapshot(&config, open.git()), attempt,
        "git_repository_config_snapshot");
  const Owned<git_config*> owned = own(config);
  for (const char* step : {"clean", "process"}) {
    const char* program = nullptr;
    if (found(git_config_get_string(&program, config,
                                    fmt::format("filter.{}.{}", filter, step).c_str()),
              attempt, "git_config_get_string")) {
      throw Error(Stop::repository,
                  fmt::format("{}: git would filter it with the program '{}', which autokernel "
                              "does not run; remove the filter in .gitattributes",
                              attempt, program));
    }
  }
}

// What the worktree has at the path, as it is to stand in a commit: mode as in the parent. A link
// is refused: a commit of what it says would not hold the bytes that were measured.
[[nodiscard]] FileEntry file_to_commit(const OpenRepository& open, git_tree* parent,
                                       const std::string& path, const std::string& attempt) {
  const auto status = status_of(open, path);
  if (!status || !S_ISREG(status->st_mode)) {
    throw Error(Stop::repository, attempt + ": there is no regular file of that name");
  }
  const auto before = file_in(parent, path, attempt);
  if (before && before->mode == GIT_FILEMODE_LINK) {
    throw Error(Stop::repository, attempt + ": it was a symbolic link in the commit before");
  }
  refuse_filter_program(open, path, attempt);
  const auto blob = blob_of(open, path, Keep::yes);
  if (!blob) throw Error(Stop::repository, attempt + ": it has just been removed");
  return {.id = *blob, .mode = before ? before->mode : mode_of_new(open, *status)};
}

[[nodiscard]] bool is_stored(git_repository* repository, const git_oid& id,
                             const std::string& attempt) {
  git_odb* store = nullptr;
  check(git_repository_odb(&store, repository), attempt, "git_repository_odb");
  const Owned<git_odb*> owned = own(store);
  return git_odb_exists(store, &id) == 1;
}

[[nodiscard]] std::string make_commit(git_repository* repository, const git_commit* parent,
                                      git_tree* files, const git_signature* author,
                                      const git_signature* committer, const std::string& message,
                                      const std::string& attempt) {
  std::array<const git_commit*, 1> parents{parent};
  git_oid id{};
  git_error_clear();
  const int status = git_commit_create(&id, repository, nullptr, author, committer, nullptr,
                                       message.c_str(), files, parents.size(), parents.data());
  const Error failure = git_failure(status, attempt, "git_commit_create");
  // libgit2 1.5 says that all is well where the commit could not be written: commit.c drops what
  // git_odb_write returns.
  if (status < 0 || !is_stored(repository, id, attempt)) throw failure;
  return text_of(id);
}

}  // namespace

Identity Repository::identity() const {
  const NonblockingOpen nonblocking;
  git_config* config = nullptr;
  check(git_repository_config_snapshot(&config, opened_->git()), "cannot read git's settings",
        "git_repository_config_snapshot");
  const Owned<git_config*> owned = own(config);
  Identity identity{.name = name_setting(config, "user.name"),
                    .email = name_setting(config, "user.email")};
  identity.is_fallback = identity.name.empty() || identity.email.empty();
  if (identity.name.empty()) identity.name = kFallbackName;
  if (identity.email.empty()) identity.email = kFallbackEmail;
  return identity;
}

std::string Repository::commit_files(const std::string& parent,
                                     const std::vector<std::string>& paths,
                                     const std::string& message) const {
  const NonblockingOpen nonblocking;
  const auto attempt_on = [&](const std::string& path) {
    return fmt::format("cannot commit {} in {}", path, root().string());
  };
  const std::string attempt = attempt_on(paths.front());
  const Owned<git_commit*> before = commit_of(opened_->git(), parent, attempt);
  const Owned<git_tree*> files_before = tree_of(before.get(), attempt);
  std::map<std::string, std::optional<FileEntry>> files;
  for (const std::string& path : paths) {
    const auto status = status_of(*opened_, path);
    const bool is_gone = path != paths.front() && (!status || S_ISDIR(status->st_mode));
    files[path] =
        is_gone
            ? std::nullopt
            : std::optional(file_to_commit(*opened_, files_before.get(), path, attempt_on(path)));
  }
  const Owned<git_tree*> tree = tree_with(*opened_, files_before.get(), files, attempt);
  const Owned<git_signature*> author = signature_of(identity(), attempt);
  return make_commit(opened_->git(), before.get(), tree.get(), author.get(), author.get(), message,
                     attempt);
}

std::string Repository::commit_again(const std::string& like, const std::string& parent,
                                     const std::string& message) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot commit again what {} holds", like);
  const Owned<git_commit*> model = commit_of(opened_->git(), like, attempt);
  const Owned<git_commit*> before = commit_of(opened_->git(), parent, attempt);
  const Owned<git_tree*> files = tree_of(model.get(), attempt);
  // With the model's committer too, the same call makes the same commit each time.
  return make_commit(opened_->git(), before.get(), files.get(), git_commit_author(model.get()),
                     git_commit_committer(model.get()), message, attempt);
}

}  // namespace autokernel::repo
