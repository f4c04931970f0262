// The index as a whole: kept, and put back as git would write it, by way of its lock.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/files.h"
#include "autokernel/base/system_error.h"
#include "repo/file_size_limits.h"
#include "repo/git_failure.h"
#include "repo/index.h"
#include "repo/nonblocking_open.h"
#include "repo/while_locked.h"

namespace autokernel::repo {
namespace {

namespace fs = std::filesystem;

void write_all(const Descriptor& file, std::string_view bytes, const std::string& attempt) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_failure(Stop::environment, attempt, "write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void fill(const Descriptor& lock, const IndexImage& image, const std::string& attempt) {
  write_all(lock, image.bytes, attempt);
  const std::array<timespec, 2> times{
      timespec{.tv_sec = 0, .tv_nsec = UTIME_NOW},
      timespec{.tv_sec = image.written_seconds, .tv_nsec = image.written_nanoseconds}};
  if (::futimens(lock.get(), times.data()) != 0) {
    throw system_failure(Stop::environment, attempt, "futimens");
  }
  if (::fsync(lock.get()) != 0) throw system_failure(Stop::environment, attempt, "fsync");
}

}  // namespace

std::optional<IndexImage> Repository::index_image() const {
  const fs::path file = opened_->git_folder / "index";
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0 && errno == ENOENT) return std::nullopt;
  const auto bytes = read_file_below(opened_->git_folder, "index", "git's index", kLargestIndex);
  if (!bytes) return std::nullopt;
  return IndexImage{.bytes = *bytes,
                    .written_seconds = status.st_mtim.tv_sec,
                    .written_nanoseconds = status.st_mtim.tv_nsec};
}

bool Repository::set_index(const IndexImage& image) const {
  const NonblockingOpen nonblocking;
  const fs::path file = opened_->git_folder / "index";
  const fs::path lock = opened_->git_folder / "index.lock";
  const std::string attempt = fmt::format("cannot put back {}", file.string());
  Descriptor locked;
  const int status = while_locked([&] {
    locked = Descriptor(
        ::open(lock.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
    return locked.is_open() || errno != EEXIST ? 0 : GIT_ELOCKED;
  });
  if (status == GIT_ELOCKED) {
    throw Error(
        Stop::repository,
        fmt::format(
            "{}: another git is running there, or was killed: remove {} once none is running",
            attempt, lock.string()));
  }
  if (!locked.is_open()) throw system_failure(Stop::environment, attempt, "open");
  try {
    const auto now = index_image();
    const bool differs = !now || now->bytes != image.bytes;
    if (differs) {
      fill(locked, image, attempt);
      if (::rename(lock.c_str(), file.c_str()) != 0) {
        throw system_failure(Stop::environment, attempt, "rename");
      }
    } else {
      ::unlink(lock.c_str());
    }
    return differs;
  } catch (...) {
    ::unlink(lock.c_str());
    throw;
  }
}

}  // namespace autokernel::repo
