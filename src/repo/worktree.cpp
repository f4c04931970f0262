#include "repo/worktree.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <random>

#include "autokernel/base/files.h"
#include "autokernel/base/system_error.h"
#include "repo/git_failure.h"
#include "repo/index.h"

namespace autokernel::repo {

namespace fs = std::filesystem;

namespace {

// Where a path of the worktree is on the disk.
[[nodiscard]] fs::path place_of(const OpenRepository& open, const std::string& path) {
  const fs::path relative(path);
  for (const fs::path& part : relative) {
    if (part.empty() || part == ".." || part == "." || part == "/") {
      throw Error(Stop::repository,
                  fmt::format("'{}' is not a path of the worktree {}", path, open.root.string()));
    }
  }
  return open.root / relative;
}

[[nodiscard]] std::optional<struct stat> status_at(const fs::path& place) {
  struct stat status{};
  if (::lstat(place.c_str(), &status) == 0) return status;
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw system_failure(Stop::repository, fmt::format("cannot look at {}", place.string()), "lstat");
}

// Whether every folder above the place, up to the root, is one and no link to one.
[[nodiscard]] bool lies_in_folders(const OpenRepository& open, const fs::path& place) {
  for (fs::path above = place.parent_path(); above != open.root; above = above.parent_path()) {
    const auto status = status_at(above);
    if (status && !S_ISDIR(status->st_mode)) return false;
  }
  return true;
}

// Where to write a file: its folders are there afterwards.
[[nodiscard]] fs::path prepared_place(const OpenRepository& open, const std::string& path) {
  fs::path place = place_of(open, path);
  if (!lies_in_folders(open, place)) {
    throw Error(Stop::repository,
                fmt::format("cannot write {}: a folder above it has been replaced by a link or a "
                            "file; put the folder back",
                            place.string()));
  }
  make_folders(place.parent_path(), Stop::repository);
  return place;
}

// None where nothing is to be done to the bytes.
[[nodiscard]] Owned<git_filter_list*> filters_for(const OpenRepository& open,
                                                  const std::string& path, git_blob* blob,
                                                  git_filter_mode_t direction,
                                                  const std::string& attempt) {
  // Whether line endings are converted depends on what the index holds now.
  refresh_index(open);
  git_filter_list* filters = nullptr;
  // Git itself converts without warning when it only compares, and so do we when we keep.
  check(git_filter_list_load(&filters, open.git(), blob, path.c_str(), direction,
                             GIT_FILTER_ALLOW_UNSAFE),
        attempt, "git_filter_list_load");
  return own(filters);
}

[[nodiscard]] git_oid blob_of_bytes(const OpenRepository& open, const char* bytes, std::size_t size,
                                    Keep keep, const std::string& attempt) {
  git_oid id{};
  if (keep == Keep::yes) {
    check(git_blob_create_from_buffer(&id, open.git(), bytes, size), attempt,
          "git_blob_create_from_buffer");
  } else {
    check(git_odb_hash(&id, bytes, size, GIT_OBJECT_BLOB), attempt, "git_odb_hash");
  }
  return id;
}

[[nodiscard]] git_oid blob_of_link(const OpenRepository& open, const fs::path& place, Keep keep,
                                   const std::string& attempt) {
  const std::string target = fs::read_symlink(place).string();
  return blob_of_bytes(open, target.data(), target.size(), keep, attempt);
}

// None for a file that has gone meanwhile.
[[nodiscard]] std::optional<git_oid> blob_of_file(const OpenRepository& open,
                                                  const std::string& path, const fs::path& place,
                                                  Keep keep, const std::string& attempt) {
  const Owned<git_filter_list*> filters =
      filters_for(open, path, nullptr, GIT_FILTER_TO_ODB, attempt);
  git_oid id{};
  if (filters.get() == nullptr) {
    // Piece by piece: a file that nobody meant to be in the repository may be larger than memory.
    const bool there = keep == Keep::yes
                           ? found(git_blob_create_from_workdir(&id, open.git(), path.c_str()),
                                   attempt, "git_blob_create_from_workdir")
                           : found(git_odb_hashfile(&id, place.c_str(), GIT_OBJECT_BLOB), attempt,
                                   "git_odb_hashfile");
    return there ? std::optional(id) : std::nullopt;
  }
  git_buf bytes = GIT_BUF_INIT;
  if (!found(git_filter_list_apply_to_file(&bytes, filters.get(), open.git(), place.c_str()),
             attempt, "git_filter_list_apply_to_file")) {
    return std::nullopt;
  }
  const Owned<git_buf*> owned = own(&bytes);
  return blob_of_bytes(open, bytes.ptr, bytes.size, keep, attempt);
}

[[nodiscard]] Owned<git_blob*> stored(const OpenRepository& open, const git_oid& id,
                                      const std::string& attempt) {
  git_blob* blob = nullptr;
  check(git_blob_lookup(&blob, open.git(), &id), attempt, "git_blob_lookup");
  return own(blob);
}

[[nodiscard]] std::string raw_bytes(const git_blob* blob) {
  return {static_cast<const char*>(git_blob_rawcontent(blob)),
          static_cast<std::size_t>(git_blob_rawsize(blob))};
}

}  // namespace

std::optional<struct stat> status_of(const OpenRepository& open, const std::string& path) {
  const fs::path place = place_of(open, path);
  if (!lies_in_folders(open, place)) return std::nullopt;
  return status_at(place);
}

bool is_too_large(const struct stat& status) {
  return S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) > kLargestFile;
}

git_oid stand_in_for(const struct stat& status) {
  // The time of its last change of any kind is the kernel's: who writes to a file cannot set it.
  const std::string text = fmt::format(
      "a file that is not read: {} {} {} {}.{} {}.{}", status.st_dev, status.st_ino, status.st_size,
      status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
  git_oid id{};
  check(git_odb_hash(&id, text.data(), text.size(), GIT_OBJECT_TAG), "cannot hash a text",
        "git_odb_hash");
  return id;
}

git_oid blob_of_text(const OpenRepository& open, const std::string& path, std::string_view bytes,
                     Keep keep) {
  const std::string attempt =
      fmt::format("cannot {} what {} holds", keep == Keep::yes ? "store" : "hash", path);
  const Owned<git_filter_list*> filters =
      filters_for(open, path, nullptr, GIT_FILTER_TO_ODB, attempt);
  if (filters.get() == nullptr) {
    return blob_of_bytes(open, bytes.data(), bytes.size(), keep, attempt);
  }
  git_buf filtered = GIT_BUF_INIT;
  check(git_filter_list_apply_to_buffer(&filtered, filters.get(), bytes.data(), bytes.size()),
        attempt, "git_filter_list_apply_to_buffer");
  const Owned<git_buf*> owned = own(&filtered);
  return blob_of_bytes(open, filtered.ptr, filtered.size, keep, attempt);
}

std::optional<git_oid> blob_of(const OpenRepository& open, const std::string& path, Keep keep) {
  const auto status = status_of(open, path);
  if (!status) return std::nullopt;
  const fs::path place = place_of(open, path);
  const std::string attempt =
      fmt::format("cannot {} {}", keep == Keep::yes ? "store" : "hash", place.string());
  if (S_ISLNK(status->st_mode)) return blob_of_link(open, place, keep, attempt);
  if (is_too_large(*status)) {
    if (keep == Keep::no) return stand_in_for(*status);
    throw Error(Stop::repository, fmt::format("{}: it is larger than {} MiB; move it elsewhere",
                                              attempt, kLargestFile >> 20U));
  }
  if (S_ISREG(status->st_mode)) return blob_of_file(open, path, place, keep, attempt);
  return std::nullopt;
}

std::string as_written(const OpenRepository& open, git_blob* blob, const std::string& path,
                       const std::string& attempt) {
  const Owned<git_filter_list*> filters =
      filters_for(open, path, blob, GIT_FILTER_TO_WORKTREE, attempt);
  if (filters.get() == nullptr) return raw_bytes(blob);
  git_buf bytes = GIT_BUF_INIT;
  check(git_filter_list_apply_to_blob(&bytes, filters.get(), blob), attempt,
        "git_filter_list_apply_to_blob");
  const Owned<git_buf*> owned = own(&bytes);
  return {bytes.ptr, bytes.size};
}

void write_file(const OpenRepository& open, const git_oid& blob, const std::string& path) {
  const std::string attempt = fmt::format("cannot write {}", path);
  const fs::path place = prepared_place(open, path);
  const Owned<git_blob*> owned = stored(open, blob, attempt);
  write_file_atomically(place, as_written(open, owned.get(), path, attempt));
}

void write_link(const OpenRepository& open, const git_oid& blob, const std::string& path) {
  const std::string attempt = fmt::format("cannot write the link {}", path);
  const fs::path place = prepared_place(open, path);
  const std::string target = raw_bytes(stored(open, blob, attempt).get());
  // A link cannot be replaced whole but by the renaming of another.
  std::random_device random;
  const fs::path temporary =
      place.parent_path() /
      fmt::format(".{}.{:08x}{:08x}", place.filename().string(), random(), random());
  if (::symlink(target.c_str(), temporary.c_str()) != 0) {
    throw system_failure(Stop::repository, attempt, "symlink");
  }
  if (::rename(temporary.c_str(), place.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    throw system_failure(Stop::repository, attempt, "rename", reason);
  }
}

void remove_file(const OpenRepository& open, const std::string& path) {
  const fs::path place = place_of(open, path);
  const std::string attempt = fmt::format("cannot remove {}", place.string());
  // Nothing is there but by way of a link, or nothing at all.
  if (!lies_in_folders(open, place)) return;
  if (::unlink(place.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR) {
    throw system_failure(Stop::repository, attempt, "unlink");
  }
  // As git does; the first that holds something else stops it.
  for (fs::path above = place.parent_path(); above != open.root; above = above.parent_path()) {
    if (::rmdir(above.c_str()) != 0 && errno != ENOENT) break;
  }
}

void take_executable_bit(const OpenRepository& open, const std::string& path, git_filemode_t mode) {
  constexpr mode_t kForAll = S_IXUSR | S_IXGRP | S_IXOTH;
  // Each right to read stands two bits above the right to execute.
  constexpr mode_t kToRead = S_IRUSR | S_IRGRP | S_IROTH;
  const auto status = status_of(open, path);
  if (!status || !S_ISREG(status->st_mode) || !minds_file_modes(open)) return;
  const bool is_executable = (status->st_mode & S_IXUSR) != 0;
  const bool shall_be = mode == GIT_FILEMODE_BLOB_EXECUTABLE;
  if (is_executable == shall_be) return;
  const mode_t wanted =
      shall_be ? status->st_mode | (status->st_mode & kToRead) >> 2U : status->st_mode & ~kForAll;
  if (::chmod(place_of(open, path).c_str(), wanted & 07777U) != 0) {
    throw system_failure(Stop::repository, fmt::format("cannot change the mode of {}", path),
                         "chmod");
  }
}

bool minds_file_modes(const OpenRepository& open) {
  const char* const attempt = "cannot read git's setting core.fileMode";
  git_config* config = nullptr;
  check(git_repository_config_snapshot(&config, open.git()), attempt,
        "git_repository_config_snapshot");
  const Owned<git_config*> owned = own(config);
  int minds = 1;
  return !found(git_config_get_bool(&minds, config, "core.filemode"), attempt,
                "git_config_get_bool") ||
         minds != 0;
}

}  // namespace autokernel::repo
