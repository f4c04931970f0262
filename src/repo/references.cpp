// References: to read, to make, to move, to delete. Another git may hold one for a moment, so what
// is locked is tried again before it is given up.
#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <system_error>

#include "autokernel/base/files.h"
#include "repo/file_size_limits.h"
#include "repo/git_failure.h"
#include "repo/nonblocking_open.h"
#include "repo/objects.h"
#include "repo/open_repository.h"
#include "repo/while_locked.h"

namespace autokernel::repo {

std::optional<std::string> Repository::reference(const std::string& name) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot read the reference {}", name);
  refuse_endless_reference(*opened_, name);
  git_reference* reference = nullptr;
  if (!found(git_reference_lookup(&reference, opened_->git(), name.c_str()), attempt,
             "git_reference_lookup")) {
    return std::nullopt;
  }
  const Owned<git_reference*> owned = own(reference);
  git_object* commit = nullptr;
  check(git_reference_peel(&commit, reference, GIT_OBJECT_COMMIT), attempt, "git_reference_peel");
  const Owned<git_object*> owned_commit = own(commit);
  return text_of(*git_object_id(commit));
}

bool Repository::has_reference(const std::string& name) const {
  const NonblockingOpen nonblocking;
  git_oid id{};
  return found(git_reference_name_to_id(&id, opened_->git(), name.c_str()),
               fmt::format("cannot read the reference {}", name), "git_reference_name_to_id");
}

bool Repository::has_references_below(const std::string& name) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot look for references below {}", name);
  git_reference_iterator* iterator = nullptr;
  check(git_reference_iterator_glob_new(&iterator, opened_->git(), (name + "/*").c_str()), attempt,
        "git_reference_iterator_glob_new");
  const Owned<git_reference_iterator*> owned = own(iterator);
  const char* first = nullptr;
  const int status = git_reference_next_name(&first, iterator);
  if (status == GIT_ITEROVER) return false;
  check(status, attempt, "git_reference_next_name");
  return true;
}

void Repository::set_reference(const std::string& name, const std::string& object) const {
  const NonblockingOpen nonblocking;
  const std::string attempt =
      fmt::format("cannot set the reference {} of {} to {}", name, root().string(), object);
  const git_oid id = id_of(object, attempt);
  refuse_endless_reference(*opened_, name);
  constexpr int kMoveOneThatIsThere = 1;
  check(while_locked([&] {
          git_reference* made = nullptr;
          const int status = git_reference_create(&made, opened_->git(), name.c_str(), &id,
                                                  kMoveOneThatIsThere, "autokernel: set");
          const Owned<git_reference*> owned = own(made);
          return status;
        }),
        attempt, "git_reference_create");
}

std::vector<std::string> Repository::references_in_the_way(const std::string& name) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot look for references in the way of {}", name);
  git_reference_iterator* iterator = nullptr;
  check(git_reference_iterator_new(&iterator, opened_->git()), attempt,
        "git_reference_iterator_new");
  const Owned<git_reference_iterator*> owned = own(iterator);
  std::vector<std::string> found;
  const char* next = nullptr;
  int status = 0;
  while ((status = git_reference_next_name(&next, iterator)) == 0) {
    const std::string other = next;
    if (other.starts_with(name + "/") || name.starts_with(other + "/")) found.push_back(other);
  }
  if (status != GIT_ITEROVER) check(status, attempt, "git_reference_next_name");
  return found;
}

void Repository::move_aside_in_the_way(const std::string& name) const {
  namespace fs = std::filesystem;
  const fs::path& git = opened_->common_folder;
  const auto move = [&](const fs::path& path) {
    const fs::path to = git / "autokernel-in-the-way" / path.filename();
    make_folders(to.parent_path(), Stop::repository);
    std::error_code failed;
    for (int i = 1;; ++i) {
      const fs::path free = fmt::format("{}-{}", to.string(), i);
      if (fs::exists(fs::symlink_status(free, failed))) continue;
      fs::rename(path, free, failed);
      if (!failed) return;
      throw Error(Stop::repository, fmt::format("cannot move {} out of the way: {}", path.string(),
                                                failed.message()));
    }
  };
  std::error_code missing;
  // "refs" itself is git's.
  fs::path at = git / "refs";
  const fs::path relative = fs::path(name).lexically_relative("refs");
  for (auto part = relative.begin(); part != relative.end(); ++part) {
    at /= *part;
    const auto type = fs::symlink_status(at, missing).type();
    if (type == fs::file_type::not_found) return;
    const bool is_last = std::next(part) == relative.end();
    // A reference is a file, and what leads to it are folders.
    const bool fits = type == (is_last ? fs::file_type::regular : fs::file_type::directory);
    if (!fits) return move(at);
  }
}

void Repository::rename_reference(const std::string& name, const std::string& to) const {
  const NonblockingOpen nonblocking;
  const std::string attempt = fmt::format("cannot rename the reference {} to {}", name, to);
  refuse_endless_reference(*opened_, name);
  git_reference* reference = nullptr;
  check(git_reference_lookup(&reference, opened_->git(), name.c_str()), attempt,
        "git_reference_lookup");
  const Owned<git_reference*> owned = own(reference);
  constexpr int kMoveOneThatIsThere = 1;
  check(while_locked([&] {
          git_reference* renamed = nullptr;
          const int status = git_reference_rename(&renamed, reference, to.c_str(),
                                                  kMoveOneThatIsThere, "autokernel: rename");
          const Owned<git_reference*> owned_renamed = own(renamed);
          return status;
        }),
        attempt, "git_reference_rename");
}

void Repository::delete_reference(const std::string& name) const {
  const NonblockingOpen nonblocking;
  const std::string attempt =
      fmt::format("cannot delete the reference {} of {}", name, root().string());
  git_reference* reference = nullptr;
  if (!found(git_reference_lookup(&reference, opened_->git(), name.c_str()), attempt,
             "git_reference_lookup")) {
    return;
  }
  const Owned<git_reference*> owned = own(reference);
  static_cast<void>(found(while_locked([&] { return git_reference_delete(reference); }), attempt,
                          "git_reference_delete"));
}

void Repository::move_branch(const std::string& branch, const std::string& from,
                             const std::string& to) const {
  const NonblockingOpen nonblocking;
  const std::string name = "refs/heads/" + branch;
  const std::string attempt = fmt::format("cannot move the branch {} of {} from {} to {}", branch,
                                          root().string(), from, to);
  const git_oid old_id = id_of(from, attempt);
  const git_oid new_id = id_of(to, attempt);
  constexpr int kMoveOneThatIsThere = 1;
  const int status = while_locked([&] {
    git_reference* moved = nullptr;
    const int moving =
        git_reference_create_matching(&moved, opened_->git(), name.c_str(), &new_id,
                                      kMoveOneThatIsThere, &old_id, "autokernel: move");
    const Owned<git_reference*> owned = own(moved);
    return moving;
  });
  if (status == GIT_EMODIFIED || status == GIT_ENOTFOUND) {
    throw Error(Stop::repository, fmt::format("{}: it is at {} [git_reference_create_matching]",
                                              attempt, reference(name).value_or("no commit")));
  }
  check(status, attempt, "git_reference_create_matching");
}

}  // namespace autokernel::repo
