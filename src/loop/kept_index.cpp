// The format: a line
//
//   autokernel-index 1 <commit of the head> <seconds> <nanoseconds of the index's last write>
//
// and the bytes of the index behind it.
#include "loop/kept_index.h"

#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKind = "autokernel-index";
constexpr int kVersion = 1;
// As much as the repository reads of an index, and the line.
constexpr std::uint64_t kLargest = (1ULL << 30U) + 4096;

struct Kept {
  std::string head;
  repo::IndexImage image;
};

[[nodiscard]] fs::path file_of(const repo::Repository& repository) {
  return repository.git_folder() / kKind;
}

[[nodiscard]] std::string first_line(const Kept& kept) {
  return fmt::format("{} {} {} {} {}\n", kKind, kVersion, kept.head, kept.image.written_seconds,
                     kept.image.written_nanoseconds);
}

// None for a text that is none: nothing can be put back from that.
[[nodiscard]] std::optional<Kept> parse(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream words(text.substr(0, end));
  std::string kind;
  int version = 0;
  Kept kept;
  words >> kind >> version >> kept.head >> kept.image.written_seconds >>
      kept.image.written_nanoseconds;
  if (!words || kind != kKind || version != kVersion) return std::nullopt;
  if (first_line(kept) != text.substr(0, end + 1)) return std::nullopt;
  kept.image.bytes = text.substr(end + 1);
  return kept;
}

[[nodiscard]] std::optional<Kept> kept_in(const repo::Repository& repository) {
  if (!is_index_kept(repository)) return std::nullopt;
  const auto text = read_file_below(repository.git_folder(), kKind,
                                    "the index from before an agent's turn", kLargest);
  return text ? parse(*text) : std::nullopt;
}

[[nodiscard]] fs::path put_aside(const repo::IndexImage& image, const Folders& folders) {
  folders.make_below(folders.aside());
  std::error_code failed;
  for (int i = 1;; ++i) {
    fs::path to = folders.aside() / fmt::format("index-{}", i);
    if (fs::exists(fs::symlink_status(to, failed))) continue;
    write_file_atomically(to, image.bytes, Sync::no);
    return to;
  }
}

}  // namespace

void keep_index(const repo::Repository& repository) {
  auto image = repository.index_image();
  if (!image) return;
  const Kept kept{.head = repository.head().commit, .image = *std::move(image)};
  write_file_atomically(file_of(repository), first_line(kept) + kept.image.bytes);
}

bool is_index_kept(const repo::Repository& repository) {
  std::error_code unreadable;
  return fs::exists(fs::symlink_status(file_of(repository), unreadable));
}

void restore_index(const repo::Repository& repository) {
  if (const auto kept = kept_in(repository)) repository.set_index(kept->image);
}

void forget_kept_index(const repo::Repository& repository) {
  std::error_code gone;
  fs::remove(file_of(repository), gone);
}

std::string recover_index(const repo::Repository& repository, const Folders& folders) {
  remove_unfinished_writes(file_of(repository));
  if (!is_index_kept(repository)) return {};
  const auto kept = kept_in(repository);
  const auto now = repository.index_image();
  std::string said;
  if (!kept) {
    said = fmt::format("what was kept of git's index in {} is damaged: the index stays as it is",
                       file_of(repository).string());
  } else if (now && now->bytes == kept->image.bytes) {
    said.clear();
  } else if (repository.head().commit != kept->head) {
    said = fmt::format(
        "the head has moved since the agent's turn that was cut off: git's index "
        "stays as it is, and that from before the turn is in {}",
        put_aside(kept->image, folders).string());
  } else {
    const std::string aside = now ? put_aside(*now, folders).string() : "";
    repository.set_index(kept->image);
    said = "git's index is again as it was before the agent's turn that was cut off";
    if (!aside.empty()) said += "; what it was until now is in " + aside;
  }
  forget_kept_index(repository);
  return said;
}

}  // namespace autokernel::loop
