#include "repo/index.h"

#include <fmt/format.h>

#include "repo/git_failure.h"
#include "repo/nonblocking_open.h"
#include "repo/objects.h"
#include "repo/while_locked.h"
#include "repo/worktree.h"

namespace autokernel::repo {
namespace {

[[nodiscard]] std::int32_t seconds_of(const timespec& time) {
  return static_cast<std::int32_t>(time.tv_sec);
}
[[nodiscard]] std::uint32_t nanoseconds_of(const timespec& time) {
  return static_cast<std::uint32_t>(time.tv_nsec);
}

// The entry for a file of a commit. Where the worktree has the same bytes, the entry says what the
// file looks like from outside, so that nobody has to read it to see that it has not changed; else
// it says nothing, and git compares the bytes.
[[nodiscard]] git_index_entry entry_for(const OpenRepository& open, const FileEntry& file,
                                        const std::string& path) {
  git_index_entry entry{};
  entry.mode = file.mode;
  entry.id = file.id;
  entry.path = path.c_str();
  // Looked at before it is read: what changes in between must not look unchanged.
  const auto status = status_of(open, path);
  const auto blob = blob_of(open, path, Keep::no);
  if (!status || !blob || git_oid_equal(&*blob, &file.id) == 0) return entry;
  // The index keeps the lower 32 bits of each, as git does.
  entry.ctime = {seconds_of(status->st_ctim), nanoseconds_of(status->st_ctim)};
  entry.mtime = {seconds_of(status->st_mtim), nanoseconds_of(status->st_mtim)};
  entry.dev = static_cast<std::uint32_t>(status->st_dev);
  entry.ino = static_cast<std::uint32_t>(status->st_ino);
  entry.uid = status->st_uid;
  entry.gid = status->st_gid;
  entry.file_size = static_cast<std::uint32_t>(status->st_size);
  return entry;
}

void change_entry(const OpenRepository& open, git_index* index,
                  const std::optional<FileEntry>& file, const std::string& path,
                  const std::string& attempt) {
  if (file) {
    const git_index_entry entry = entry_for(open, *file, path);
    check(git_index_add(index, &entry), attempt, "git_index_add");
  } else {
    static_cast<void>(found(git_index_remove(index, path.c_str(), 0), attempt, "git_index_remove"));
  }
}

// Makes the entry that of the commit, or takes it out where the commit has no such file. Every
// other entry stays as it is on the disk.
void set_entry(const OpenRepository& open, const std::optional<FileEntry>& file,
               const std::string& path) {
  const std::string attempt =
      fmt::format("cannot change {} in {}", path, (open.git_folder / "index").string());
  const Owned<git_index*> index = index_of(open);
  const int status = while_locked([&] {
    // Whoever held the lock has written another index.
    refresh_index(open);
    change_entry(open, index.get(), file, path, attempt);
    return git_index_write(index.get());
  });
  if (status >= 0) return;
  const Error failure = git_failure(status, attempt, "git_index_write");
  // In memory it must not stay different from what is on the disk.
  check(git_index_read(index.get(), 1), attempt, "git_index_read");
  throw failure;
}

}  // namespace

Owned<git_index*> index_of(const OpenRepository& open) {
  git_index* index = nullptr;
  check(git_repository_index(&index, open.git()),
        fmt::format("cannot open the index of {}", open.root.string()), "git_repository_index");
  return own(index);
}

void refresh_index(const OpenRepository& open) {
  check(git_index_read(index_of(open).get(), 0),
        fmt::format("cannot read the index of {}", open.root.string()), "git_index_read");
}

void Repository::check_out(const std::string& commit, const std::string& path) const {
  const NonblockingOpen nonblocking;
  const std::string attempt =
      fmt::format("cannot check out {} of commit {} in {}", path, commit, root().string());
  const auto file = file_in_commit(opened_->git(), commit, path, attempt);
  if (!file) throw Error(Stop::repository, attempt + ": the commit has no such file");
  if (file->mode == GIT_FILEMODE_LINK) {
    write_link(*opened_, file->id, path);
  } else {
    write_file(*opened_, file->id, path);
    take_executable_bit(*opened_, path, file->mode);
  }
  set_entry(*opened_, file, path);
}

void Repository::match_index(const std::string& commit, const std::string& path) const {
  const NonblockingOpen nonblocking;
  set_entry(*opened_,
            file_in_commit(opened_->git(), commit, path,
                           fmt::format("cannot find {} in commit {}", path, commit)),
            path);
}

}  // namespace autokernel::repo
