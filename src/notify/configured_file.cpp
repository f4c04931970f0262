#include "notify/configured_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/system_error.h"

namespace autokernel::notify {
namespace {

namespace fs = std::filesystem;

// Room for a hundred targets.
constexpr std::size_t kLargestConfiguration = 64U << 10U;
// What others may do with it.
constexpr mode_t kOfOthers = 077;

[[nodiscard]] bool lies_within(const fs::path& file, const fs::path& folder) {
  return std::ranges::mismatch(folder, file).in1 == folder.end();
}

// Where an open file really lies, whatever links led to it and whatever has become of them since.
[[nodiscard]] fs::path place_of_open(const Descriptor& file, const std::string& attempt) {
  std::error_code failed;
  fs::path place = fs::read_symlink(fmt::format("/proc/self/fd/{}", file.get()), failed);
  if (failed) {
    throw Error(Stop::environment, attempt + ": " + failed.message() + " [readlink]");
  }
  return place;
}

[[nodiscard]] std::string all_of_file(const Descriptor& file, const std::string& attempt) {
  std::string text(kLargestConfiguration + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = ::read(file.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_failure(Stop::environment, attempt, "read");
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > kLargestConfiguration) {
    throw Error(Stop::usage, fmt::format("{}: it has more than {} bytes; make it shorter", attempt,
                                         kLargestConfiguration));
  }
  text.resize(size);
  return text;
}

void require_of_user_alone(const struct stat& status, const std::string& attempt,
                           const fs::path& file) {
  const auto refuse = [&](const std::string& problem) {
    throw Error(Stop::usage, attempt + ": " + problem);
  };
  if (!S_ISREG(status.st_mode)) refuse("it is not a regular file");
  if (status.st_uid != ::geteuid()) {
    refuse("it belongs to another user; write one of your own in its place");
  }
  if ((status.st_mode & kOfOthers) != 0) {
    refuse(fmt::format("others may read or write it; run 'chmod 600 {}'", file.string()));
  }
  if (status.st_nlink != 1) {
    refuse("it has a second name (a hard link), which may lie in a repository; make a copy of it");
  }
}

}  // namespace

std::optional<std::string> read_configured_file(const fs::path& file, const fs::path& repository) {
  const std::string attempt = "cannot use " + file.string() + " for notifications";
  // O_NONBLOCK: a named pipe would keep us waiting.
  const Descriptor open(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!open.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    throw system_failure(Stop::usage, attempt, "open");
  }
  struct stat status{};
  if (::fstat(open.get(), &status) != 0) throw system_failure(Stop::environment, attempt, "fstat");
  require_of_user_alone(status, attempt, file);
  if (!repository.empty()) {
    std::error_code failed;
    const fs::path root = fs::canonical(repository, failed);
    if (failed) throw Error(Stop::environment, attempt + ": " + failed.message() + " [realpath]");
    if (lies_within(place_of_open(open, attempt), root)) {
      throw Error(Stop::usage,
                  fmt::format("{}: it lies within the repository {}, where an agent can write it; "
                              "keep it outside",
                              attempt, root.string()));
    }
  }
  return all_of_file(open, attempt);
}

}  // namespace autokernel::notify
