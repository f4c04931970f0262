// The format of a file (packing.h):
//
//   "AKCACHE2"  checksum: number, of all that follows
//   then key and entry, each as bytes
#include "base/file_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/packing.h"

namespace emulator::base {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "AKCACHE2";

// No entry is larger, so that a damaged file cannot fill the memory.
constexpr std::uint64_t kLargestFile = std::uint64_t{64} << 20U;

// What a process that was killed while it wrote has left is nobody's any more after this long.
constexpr std::chrono::hours kUnfinished{1};

// The standard library's is no cryptographic hash; against somebody who can write to the folder
// none would help, since he could write the hash as well.
[[nodiscard]] std::uint64_t hash(std::string_view bytes) {
  return std::hash<std::string_view>{}(bytes);
}

[[nodiscard]] std::string packed(std::string_view key, std::string_view entry) {
  Packer body;
  body.bytes(key).bytes(entry);
  Packer sum;
  sum.number(hash(body.packed()));
  return std::string(kMagic) + sum.packed() + body.packed();
}

[[nodiscard]] std::optional<std::string> unpacked(std::string_view file, std::string_view key) {
  if (!file.starts_with(kMagic)) return std::nullopt;
  Unpacker unpacker(file.substr(kMagic.size()));
  if (unpacker.number() != hash(unpacker.rest())) return std::nullopt;
  if (unpacker.bytes() != key) return std::nullopt;
  std::string entry(unpacker.bytes());
  if (!unpacker.ended_well()) return std::nullopt;
  return entry;
}

// In a folder that others may write to, somebody else says what a kernel compiles to.
[[nodiscard]] bool is_ours_alone(const fs::path& folder) {
  struct stat status{};
  return ::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

struct Entry {
  fs::path path;
  fs::file_time_type used;
  std::uint64_t bytes = 0;
};

}  // namespace

FileCache::FileCache(fs::path folder, std::string ending, std::uint64_t most_bytes)
    : folder_(std::move(folder)), ending_(std::move(ending)), most_bytes_(most_bytes) {}

fs::path FileCache::file_of(std::string_view key) const {
  return folder_ / fmt::format("{:016x}{}", hash(key), ending_);
}

std::optional<std::string> FileCache::find(std::string_view key) const {
  const fs::path file = file_of(key);
  std::error_code failure;
  if (!is_ours_alone(folder_)) return std::nullopt;
  const auto bytes = read_file(file, kLargestFile);
  if (!bytes) return std::nullopt;
  auto entry = unpacked(*bytes, key);
  // Used now: the last to be removed.
  if (entry) fs::last_write_time(file, fs::file_time_type::clock::now(), failure);
  return entry;
}

void FileCache::keep(std::string_view key, std::string_view entry) const {
  const std::string file = packed(key, entry);
  if (file.size() > std::min(most_bytes_, kLargestFile)) return;
  std::error_code failure;
  if (fs::create_directories(folder_, failure)) {
    fs::permissions(folder_, fs::perms::owner_all, failure);
  }
  if (failure || !is_ours_alone(folder_)) return;
  replace_file(file_of(key), file);
  remove_the_longest_unused();
}

void FileCache::remove_the_longest_unused() const {
  const auto now = fs::file_time_type::clock::now();
  std::vector<Entry> entries;
  std::uint64_t all = 0;
  std::error_code failure;
  for (fs::directory_iterator at(folder_, failure), end; !failure && at != end;
       at.increment(failure)) {
    const std::string name = at->path().filename().string();
    const bool finished = name.ends_with(ending_);
    // files.h writes beside a file, under its name behind a dot.
    const bool unfinished = name.starts_with('.') && name.find(ending_ + ".") != std::string::npos;
    if (!finished && !unfinished) continue;
    std::error_code gone;  // another process removed it
    Entry entry{at->path(), at->last_write_time(gone), at->file_size(gone)};
    if (gone) continue;
    if (unfinished) {
      if (now - entry.used > kUnfinished) fs::remove(entry.path, gone);
      continue;
    }
    all += entry.bytes;
    entries.push_back(std::move(entry));
  }
  if (all <= most_bytes_) return;
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (all <= most_bytes_) return;
    std::error_code gone;
    fs::remove(entry.path, gone);
    all -= entry.bytes;
  }
}

}  // namespace emulator::base
