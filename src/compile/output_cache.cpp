// The format of a file, numbers little-endian:
//
//   "AKCACHE1"  checksum: u64, of all that follows
//   then key, log, PTX and cubin, each as its length: u64, and its bytes
#include "compile/output_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <system_error>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"

namespace autokernel::compile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "AKCACHE1";
constexpr const char* kEnding = ".nvrtc";

// The standard library's is no cryptographic hash; against somebody who can write to the folder
// none would help, since he could write the hash as well.
[[nodiscard]] std::uint64_t hash(std::string_view bytes) {
  return std::hash<std::string_view>{}(bytes);
}

void append(std::string& to, std::uint64_t number) {
  for (unsigned byte = 0; byte < sizeof(number); ++byte) {
    to += static_cast<char>((number >> (8 * byte)) & 0xffU);
  }
}

void append(std::string& to, std::string_view bytes) {
  append(to, std::uint64_t{bytes.size()});
  to += bytes;
}

// Takes what was appended from the front; nothing more once something did not fit.
class Unpacker {
 public:
  explicit Unpacker(std::string_view rest) : rest_(rest) {}

  [[nodiscard]] std::uint64_t number() {
    std::uint64_t number = 0;
    const std::string_view bytes = take(sizeof(number));
    for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
      number |= std::uint64_t{static_cast<unsigned char>(bytes[byte])} << (8 * byte);
    }
    return number;
  }
  [[nodiscard]] std::string_view bytes() { return take(number()); }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool ended_well() const { return whole_ && rest_.empty(); }

 private:
  [[nodiscard]] std::string_view take(std::uint64_t count) {
    whole_ = whole_ && count <= rest_.size();
    if (!whole_) return {};
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
  bool whole_ = true;
};

[[nodiscard]] std::string packed(const std::string& key, const Nvrtc::Output& output) {
  std::string body;
  append(body, key);
  append(body, output.log);
  append(body, output.ptx);
  append(body, {reinterpret_cast<const char*>(output.cubin.data()), output.cubin.size()});
  std::string file(kMagic);
  append(file, hash(body));
  return file + body;
}

[[nodiscard]] std::optional<Nvrtc::Output> unpacked(std::string_view file, const std::string& key) {
  if (!file.starts_with(kMagic)) return std::nullopt;
  Unpacker unpacker(file.substr(kMagic.size()));
  if (unpacker.number() != hash(unpacker.rest())) return std::nullopt;
  if (unpacker.bytes() != key) return std::nullopt;
  Nvrtc::Output output;
  output.outcome = Nvrtc::Outcome::compiled;
  output.log = unpacker.bytes();
  output.ptx = unpacker.bytes();
  const std::string_view cubin = unpacker.bytes();
  output.cubin.resize(cubin.size());
  std::memcpy(output.cubin.data(), cubin.data(), cubin.size());
  if (!unpacker.ended_well()) return std::nullopt;
  return output;
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

OutputCache::OutputCache(fs::path folder, std::uint64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {}

fs::path OutputCache::file_of(const std::string& key) const {
  return folder_ / fmt::format("{:016x}{}", hash(key), kEnding);
}

std::optional<Nvrtc::Output> OutputCache::find(const std::string& key) const {
  const fs::path file = file_of(key);
  std::error_code failure;
  if (!is_ours_alone(folder_) || !fs::exists(file, failure)) return std::nullopt;
  try {
    auto output = unpacked(read_file(file, "a cached compile"), key);
    // Used now: the last to be removed.
    if (output) fs::last_write_time(file, fs::file_time_type::clock::now(), failure);
    return output;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void OutputCache::keep(const std::string& key, const Nvrtc::Output& output) const {
  std::error_code failure;
  if (fs::create_directories(folder_, failure)) {
    fs::permissions(folder_, fs::perms::owner_all, failure);
  }
  if (failure || !is_ours_alone(folder_)) return;
  try {
    write_file_atomically(file_of(key), packed(key, output), Sync::no);
    remove_the_longest_unused();
  } catch (const Error&) {
    return;
  }
}

void OutputCache::remove_the_longest_unused() const {
  std::vector<Entry> entries;
  std::uint64_t all = 0;
  std::error_code failure;
  for (fs::directory_iterator at(folder_, failure), end; !failure && at != end;
       at.increment(failure)) {
    if (at->path().extension() != kEnding) continue;
    Entry entry{at->path(), at->last_write_time(failure), at->file_size(failure)};
    if (failure) continue;  // another process removed it
    all += entry.bytes;
    entries.push_back(std::move(entry));
  }
  if (all <= most_bytes_) return;
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    if (all <= most_bytes_) return;
    fs::remove(entry.path, failure);
    all -= entry.bytes;
  }
}

}  // namespace autokernel::compile
