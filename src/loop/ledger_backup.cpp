#include "loop/ledger_backup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "autokernel/base/descriptor.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSecondName = "autokernel-ledger.jsonl";

// As much of two ledgers is compared as takes some seconds: of a longer one the beginning.
constexpr std::uint64_t kMostCompared = 1ULL << 30U;
constexpr std::size_t kPiece = 1U << 18U;

// A ledger by either name, open to be read; not open where there is no regular file.
[[nodiscard]] Descriptor opened(const fs::path& file) {
  Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  struct stat status{};
  const bool is_regular =
      descriptor.is_open() && ::fstat(descriptor.get(), &status) == 0 && S_ISREG(status.st_mode);
  return is_regular ? std::move(descriptor) : Descriptor();
}

[[nodiscard]] std::uint64_t size_of(const Descriptor& file) {
  struct stat status{};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return 0;
  return static_cast<std::uint64_t>(status.st_size);
}

[[nodiscard]] std::string_view piece_at(const Descriptor& file, std::uint64_t offset,
                                        std::vector<char>& room) {
  ssize_t count = 0;
  do {
    count = ::pread(file.get(), room.data(), room.size(), static_cast<off_t>(offset));
  } while (count < 0 && errno == EINTR);
  return {room.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

// Whether the first file holds all of the second, and may be more behind it.
[[nodiscard]] bool begins_with(const Descriptor& file, const Descriptor& beginning) {
  const std::uint64_t size = size_of(beginning);
  if (size_of(file) < size) return false;
  std::vector<char> room(kPiece);
  std::vector<char> other_room(kPiece);
  for (std::uint64_t done = 0; done < std::min(size, kMostCompared);) {
    const std::string_view part = piece_at(beginning, done, room);
    if (part.empty()) return false;
    if (!piece_at(file, done, other_room).starts_with(part)) return false;
    done += part.size();
  }
  return true;
}

// What is neither a ledger nor a folder holds nothing of anybody's: a named pipe, a link.
[[nodiscard]] bool has_been_replaced(const fs::path& file) {
  std::error_code failed;
  const fs::file_type type = fs::symlink_status(file, failed).type();
  return type != fs::file_type::regular && type != fs::file_type::directory &&
         type != fs::file_type::not_found && type != fs::file_type::none;
}

}  // namespace

std::string keep_ledger(const repo::Repository& repository, const Folders& folders) {
  const fs::path first = folders.ledger();
  const fs::path second = repository.git_folder() / kSecondName;
  std::error_code failed;
  std::string said;
  if (has_been_replaced(second)) {
    fs::remove(second, failed);
    if (!failed) said = fmt::format("{} was not a regular file, and was removed", second.string());
  }
  if (fs::equivalent(first, second, failed)) return said;
  if (fs::exists(first, failed)) {
    // One that does not go on from what is kept is no reason to let that go.
    if (!begins_with(opened(first), opened(second))) return said;
    fs::remove(second, failed);
    fs::create_hard_link(first, second, failed);
    return said;
  }
  if (size_of(opened(second)) == 0) return said;
  fs::create_hard_link(second, first, failed);
  if (failed) return {};
  return fmt::format("{} was removed, and was restored from {}", first.string(), second.string());
}

bool is_ledger_lost(const repo::Repository& repository, const Folders& folders) {
  std::error_code failed;
  if (fs::exists(folders.ledger(), failed)) return false;
  return size_of(opened(repository.git_folder() / kSecondName)) > 0;
}

fs::path ledger_backup(const repo::Repository& repository, const Folders& folders) {
  fs::path second = repository.git_folder() / kSecondName;
  std::error_code failed;
  const bool is_same = fs::equivalent(folders.ledger(), second, failed);
  return failed || is_same ? fs::path() : second;
}

}  // namespace autokernel::loop
