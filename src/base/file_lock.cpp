#include "autokernel/base/file_lock.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

#include "autokernel/base/system_error.h"

namespace autokernel {
namespace {

constexpr std::size_t kLongestWording = 256;

[[nodiscard]] std::string wording_in(const Descriptor& file) {
  std::array<char, kLongestWording> text{};
  const ssize_t count = ::pread(file.get(), text.data(), text.size(), 0);
  if (count <= 0) return "another process";
  return {text.data(), static_cast<std::size_t>(count)};
}

[[nodiscard]] Descriptor opened(const std::filesystem::path& file, const std::string& attempt) {
  // Its words are written into it: not by way of a link into a file of somebody's, nor into a pipe
  // or a device.
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Descriptor descriptor(::open(file.c_str(), kFlags, 0666));
  const Error irregular(Stop::environment, attempt + ": it is not a regular file; remove it");
  if (!descriptor.is_open()) {
    if (errno == ELOOP || errno == ENXIO || errno == EISDIR) throw irregular;
    throw system_failure(Stop::environment, attempt, "open");
  }
  struct stat status{};
  if (::fstat(descriptor.get(), &status) != 0) {
    throw system_failure(Stop::environment, attempt, "fstat");
  }
  if (!S_ISREG(status.st_mode)) throw irregular;
  return descriptor;
}

// Whether it was got; false where another holds it and `operation` does not wait.
[[nodiscard]] bool lock(const Descriptor& file, int operation, const std::string& attempt) {
  while (::flock(file.get(), operation) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) return false;
    throw system_failure(Stop::environment, attempt, "flock");
  }
  return true;
}

}  // namespace

FileLock::FileLock(Descriptor file, const std::string& purpose)
    : file_(std::move(file)), wording_({file_.get()}, [](DescriptorNumber number) {
        // Whoever reads it next would otherwise see a holder that has gone; nothing depends on it.
        [[maybe_unused]] const int emptied = ::ftruncate(number.value, 0);
      }) {
  const std::string wording = fmt::format(
      "process {}, {}, since {:%F %T} UTC", ::getpid(), purpose,
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  // On a full disk the lock holds without its wording.
  [[maybe_unused]] const int emptied = ::ftruncate(file_.get(), 0);
  [[maybe_unused]] const ssize_t written = ::pwrite(file_.get(), wording.data(), wording.size(), 0);
}

std::variant<FileLock, FileLock::Holder> FileLock::take(const std::filesystem::path& file,
                                                        const std::string& purpose) {
  const std::string attempt = "cannot lock " + file.string();
  Descriptor descriptor = opened(file, attempt);
  if (!lock(descriptor, LOCK_EX | LOCK_NB, attempt)) return Holder{wording_in(descriptor)};
  return FileLock(std::move(descriptor), purpose);
}

FileLock FileLock::wait(const std::filesystem::path& file, const std::string& purpose) {
  const std::string attempt = "cannot lock " + file.string();
  Descriptor descriptor = opened(file, attempt);
  static_cast<void>(lock(descriptor, LOCK_EX, attempt));
  return {std::move(descriptor), purpose};
}

}  // namespace autokernel
