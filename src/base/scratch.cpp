#include "autokernel/base/scratch.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string>
#include <system_error>

#include "autokernel/base/process_tree.h"
#include "autokernel/base/system_error.h"

namespace autokernel {
namespace {

constexpr const char* kPrefix = "autokernel-scratch-";
// Between making a folder and locking it, an owner that cannot be seen from here (in a container of
// its own) cannot be told from a dead one; nobody takes a minute for that.
constexpr std::chrono::seconds kUnlockedGrace{60};

void remove_quietly(const std::filesystem::path& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

[[nodiscard]] Descriptor open_and_lock(const std::filesystem::path& folder) {
  Descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (lock.is_open() && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) lock.close();
  return lock;
}

// Processes have the same numbers in each: another container's cannot be told from here.
[[nodiscard]] std::string namespace_of_processes() {
  struct stat status{};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? std::to_string(status.st_ino) : "0";
}

// The process whose number is in the folder's name.
[[nodiscard]] bool is_owner_gone(const std::string& name) {
  const std::string ours = kPrefix + namespace_of_processes() + "-";
  if (!name.starts_with(ours)) return false;
  int owner = 0;
  const auto [end, error] =
      std::from_chars(name.data() + ours.size(), name.data() + name.size(), owner);
  return error == std::errc() && owner > 0 && !is_alive(owner);
}

[[nodiscard]] bool is_left_behind(const Descriptor& folder, const std::string& name) {
  struct stat status{};
  if (::fstat(folder.get(), &status) != 0 || status.st_uid != ::getuid()) return false;
  if (is_owner_gone(name)) return true;
  const auto changed = std::chrono::system_clock::from_time_t(status.st_mtime);
  return std::chrono::system_clock::now() - changed > kUnlockedGrace;
}

// Housekeeping for owners that were killed: whatever cannot be read or removed stays, and is
// nobody's concern now.
void remove_left_behind(const std::filesystem::path& parent) {
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(parent, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename();
    if (!name.starts_with(kPrefix)) continue;
    const Descriptor lock = open_and_lock(entry->path());
    if (lock.is_open() && is_left_behind(lock, name)) remove_quietly(entry->path());
  }
}

[[nodiscard]] std::filesystem::path temporary_folder() {
  const char* named =
      std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

}  // namespace

ScratchDirectory::ScratchDirectory(const std::filesystem::path& parent) {
  const std::filesystem::path above = parent.empty() ? temporary_folder() : parent;
  remove_left_behind(above);
  std::string name =
      (above / (kPrefix + namespace_of_processes() + "-" + std::to_string(::getpid()) + "-XXXXXX"))
          .string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw system_failure(
        Stop::environment,
        "cannot make a scratch folder in " + above.string() + " (set TMPDIR to a writable folder)",
        "mkdtemp");
  }
  path_ = Owned<std::filesystem::path>(name, remove_quietly);
  lock_ = open_and_lock(path_.get());
}

}  // namespace autokernel
