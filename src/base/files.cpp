#include "autokernel/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <random>
#include <system_error>
#include <vector>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/system_error.h"

namespace autokernel {
namespace {

void write_all(const Descriptor& file, std::string_view bytes, const std::string& attempt) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_failure(Stop::environment, attempt, "write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

// A rename is on the disk only once its folder is.
void sync_directory(const std::filesystem::path& directory, const std::string& attempt) {
  const Descriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) throw system_failure(Stop::environment, attempt, "open");
  // Some file systems cannot sync a folder and say so by EINVAL; there is nothing more to ask of
  // them.
  if (::fsync(folder.get()) != 0 && errno != EINVAL) {
    throw system_failure(Stop::environment, attempt, "fsync");
  }
}

// The name of a file that is still to become `path`: this, and digits that nobody else has.
constexpr std::size_t kRandomDigits = 16;
[[nodiscard]] std::string beginning_of_unfinished(const std::filesystem::path& path) {
  return fmt::format(".{}.", path.filename().string());
}

[[nodiscard]] bool is_unfinished(const std::string& name, const std::filesystem::path& path) {
  const std::string beginning = beginning_of_unfinished(path);
  return name.size() == beginning.size() + kRandomDigits && name.starts_with(beginning) &&
         name.find_first_not_of("0123456789abcdef", beginning.size()) == std::string::npos;
}

// Beside `path` and not in /tmp: a rename is atomic only within one file system.
[[nodiscard]] std::string unfinished_name(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::random_device random;
  return (folder / fmt::format("{}{:08x}{:08x}", beginning_of_unfinished(path), random(), random()))
      .string();
}

// Not by mkstemp, whose files nobody else may read, whatever the umask says.
[[nodiscard]] Descriptor open_unfinished(const std::string& name, const std::string& attempt) {
  Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.is_open()) throw system_failure(Stop::environment, attempt, "open");
  return file;
}

// Gives a file its name unless something has it. Whether it did; errno says why not.
[[nodiscard]] bool rename_to_free_name(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  // Network file systems do not know how, but know links.
  if (errno != EINVAL && errno != ENOSYS) return false;
  if (::link(from.c_str(), to.c_str()) != 0) return false;
  ::unlink(from.c_str());
  return true;
}

// Never waits: the opening of a named pipe would, until somebody writes to it.
constexpr int kReading = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

[[nodiscard]] Error irregular(const std::string& attempt) {
  return {Stop::usage, attempt + ": it is not a regular file; replace it with one"};
}

[[nodiscard]] Error not_opened(const std::string& attempt) {
  // That is what a socket is to open().
  if (errno == ENXIO) return irregular(attempt);
  return system_failure(Stop::usage, attempt, "open");
}

[[nodiscard]] std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kMebibyte = 1ULL << 20U;
  return bytes % kMebibyte == 0 ? fmt::format("{} MiB", bytes / kMebibyte)
                                : fmt::format("{} bytes", bytes);
}

[[nodiscard]] std::string all_bytes(const Descriptor& file, const std::string& attempt,
                                    std::uint64_t limit) {
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) throw system_failure(Stop::usage, attempt, "fstat");
  if (S_ISDIR(status.st_mode)) throw Error(Stop::usage, attempt + ": it is a folder");
  if (!S_ISREG(status.st_mode)) throw irregular(attempt);
  const auto too_large = [&] {
    return Error(Stop::usage, fmt::format("{}: it is larger than {}", attempt, size_text(limit)));
  };
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > limit) throw too_large();

  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(size));
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t count = ::read(file.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_failure(Stop::usage, attempt, "read");
    if (count == 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(count));
    // It may have grown meanwhile.
    if (bytes.size() > limit) throw too_large();
  }
}

// The folder of a file below `folder`, and no link on the way to it; not open, with errno, where
// there is none. Throws Error(stop) for a path that leads elsewhere.
[[nodiscard]] Descriptor open_folder_below(const std::filesystem::path& folder,
                                           const std::filesystem::path& path,
                                           const std::string& attempt, Stop stop) {
  const bool leads_out = path.is_absolute() || std::ranges::find(path, "..") != path.end();
  if (leads_out || path.empty()) throw Error(stop, attempt + ": it is no path below that");
  Descriptor above(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (const std::filesystem::path& part : path.parent_path()) {
    if (!above.is_open()) break;
    above = Descriptor(
        ::openat(above.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  return above;
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::string_view role,
                      std::uint64_t limit) {
  const std::string attempt = fmt::format("cannot read {} {}", role, path.string());
  const Descriptor file(::open(path.c_str(), kReading));
  if (!file.is_open()) throw not_opened(attempt);
  return all_bytes(file, attempt, limit);
}

std::optional<std::string> read_file_below(const std::filesystem::path& folder,
                                           const std::filesystem::path& path, std::string_view role,
                                           std::uint64_t limit) {
  const std::string attempt = fmt::format("cannot read {} {}", role, (folder / path).string());
  const Descriptor above = open_folder_below(folder, path, attempt, Stop::usage);
  if (above.is_open()) {
    const Descriptor file(::openat(above.get(), path.filename().c_str(), kReading | O_NOFOLLOW));
    if (file.is_open()) return all_bytes(file, attempt, limit);
  }
  if (errno == ENOENT) return std::nullopt;
  // A folder that is a link is none to O_DIRECTORY with O_NOFOLLOW.
  if (errno == ENOTDIR) {
    throw Error(Stop::usage, attempt +
                                 ": a folder above it is a link, or no folder; put a folder "
                                 "in its place");
  }
  if (errno == ELOOP) {
    throw Error(Stop::usage,
                attempt +
                    ": it is a symbolic link, and what that leads to can change; put a copy "
                    "of the file in its place");
  }
  throw not_opened(attempt);
}

void append_line_below(const std::filesystem::path& folder, const std::filesystem::path& path,
                       std::string_view line) {
  const std::string attempt = fmt::format("cannot add to {}", (folder / path).string());
  const Descriptor above = open_folder_below(folder, path, attempt, Stop::environment);
  if (!above.is_open()) throw system_failure(Stop::environment, attempt, "open");
  constexpr int kAdding = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const Descriptor file(::openat(above.get(), path.filename().c_str(), kAdding, 0666));
  if (!file.is_open()) throw system_failure(Stop::environment, attempt, "open");
  // File systems that know no locks go without.
  while (::flock(file.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) {
    throw system_failure(Stop::environment, attempt, "fstat");
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(Stop::environment, attempt + ": it is not a regular file; move it away");
  }
  char last = '\n';
  if (status.st_size > 0 && ::pread(file.get(), &last, 1, status.st_size - 1) != 1) {
    throw system_failure(Stop::environment, attempt, "pread");
  }
  write_all(file, std::string(last == '\n' ? "" : "\n").append(line), attempt);
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes, Sync sync) {
  const std::string attempt = fmt::format("cannot write {}", path.string());
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const std::string temporary = unfinished_name(path);
  const Descriptor file = open_unfinished(temporary, attempt);
  try {
    // An existing file keeps its mode.
    struct stat old{};
    if (::stat(path.c_str(), &old) == 0 && ::fchmod(file.get(), old.st_mode & 07777U) != 0) {
      throw system_failure(Stop::environment, attempt, "fchmod");
    }
    write_all(file, bytes, attempt);
    if (sync == Sync::yes && ::fsync(file.get()) != 0) {
      throw system_failure(Stop::environment, attempt, "fsync");
    }
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
      throw system_failure(Stop::environment, attempt, "rename");
    }
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  if (sync == Sync::yes) sync_directory(folder, attempt);
}

void create_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  const std::string attempt = fmt::format("cannot write {}", path.string());
  const std::string temporary = unfinished_name(path);
  const Descriptor file = open_unfinished(temporary, attempt);
  try {
    write_all(file, bytes, attempt);
    if (::fsync(file.get()) != 0) throw system_failure(Stop::environment, attempt, "fsync");
    if (!rename_to_free_name(temporary, path.string())) {
      if (errno == EEXIST) throw Error(Stop::usage, attempt + ": it is there already");
      throw system_failure(Stop::environment, attempt, "rename");
    }
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  try {
    sync_directory(path.has_parent_path() ? path.parent_path() : ".", attempt);
  } catch (...) {
    ::unlink(path.c_str());
    throw;
  }
}

void make_folders(const std::filesystem::path& folder, Stop stop) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    throw system_failure(stop, "cannot make the folder " + folder.string(), "mkdir",
                         failed.value());
  }
}

void make_folders_below(const std::filesystem::path& folder, const std::filesystem::path& path,
                        Stop stop) {
  std::filesystem::path made = folder;
  for (const std::filesystem::path& part : path) {
    made /= part;
    if (::mkdir(made.c_str(), 0777) == 0) continue;
    const int reason = errno;
    struct stat status{};
    const bool is_there = reason == EEXIST && ::lstat(made.c_str(), &status) == 0;
    if (is_there && S_ISDIR(status.st_mode)) continue;
    const std::string attempt = "cannot make the folder " + made.string();
    if (!is_there) throw system_failure(stop, attempt, "mkdir", reason);
    throw Error(stop, fmt::format("{}: a {} is in its place; move it away", attempt,
                                  S_ISLNK(status.st_mode) ? "symbolic link" : "file"));
  }
}

bool remove_unfinished_writes(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  std::vector<fs::path> unfinished;
  for (fs::directory_iterator entry(path.has_parent_path() ? path.parent_path() : ".", failed), end;
       !failed && entry != end; entry.increment(failed)) {
    if (is_unfinished(entry->path().filename().string(), path)) unfinished.push_back(entry->path());
  }
  bool removed = false;
  for (const fs::path& file : unfinished) {
    if (fs::is_directory(fs::symlink_status(file, failed))) continue;
    removed = fs::remove(file, failed) || removed;
  }
  return removed;
}

}  // namespace autokernel
