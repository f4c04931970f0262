// The format: a line
//
//   autokernel-index 1 <commit of the head> <seconds> <nanoseconds of the index's last write>
//
// and the bytes of the index behind it. The reference refs/autokernel-index/<worktree> names a tree
// of the blobs. It is made after the file and deleted before it: one without a file is the trace of
// a file that somebody else has removed.
#include "loop/saved_index.h"

#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKeptIndexKind = "autokernel-index";
constexpr int kKeptIndexVersion = 1;
// As much as the repository reads of an index, and the line.
constexpr std::uint64_t kLargest = (1ULL << 30U) + 4096;

[[nodiscard]] fs::path file_of(const repo::Repository& repository) {
  return repository.git_folder() / kKeptIndexKind;
}

[[nodiscard]] std::string saved_index_reference(const repo::Repository& repository) {
  // Linked worktrees share their references; each has a folder of its own.
  constexpr std::size_t kDigits = 12;
  return "refs/autokernel-index/" +
         repo::hash_of_bytes(repository.git_folder().string()).substr(0, kDigits);
}

[[nodiscard]] std::string first_line(const SavedIndex& kept) {
  return fmt::format("{} {} {} {} {}\n", kKeptIndexKind, kKeptIndexVersion, kept.head,
                     kept.image.written_seconds, kept.image.written_nanoseconds);
}

// None for a text that is none: nothing can be put back from that.
[[nodiscard]] std::optional<SavedIndex> parse(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream words(text.substr(0, end));
  std::string kind;
  int version = 0;
  SavedIndex kept;
  words >> kind >> version >> kept.head >> kept.image.written_seconds >>
      kept.image.written_nanoseconds;
  if (!words || kind != kKeptIndexKind || version != kKeptIndexVersion) return std::nullopt;
  if (first_line(kept) != text.substr(0, end + 1)) return std::nullopt;
  kept.image.bytes = text.substr(end + 1);
  return kept;
}

[[nodiscard]] std::optional<SavedIndex> kept_in(const repo::Repository& repository) {
  std::error_code unreadable;
  if (!fs::is_regular_file(fs::symlink_status(file_of(repository), unreadable))) {
    return std::nullopt;  // whatever stands there, it is not what we kept
  }
  const auto text = read_file_below(repository.git_folder(), kKeptIndexKind,
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

std::optional<SavedIndex> keep_index(const repo::Repository& repository,
                                     std::vector<std::string> besides) {
  auto image = repository.index_image();
  if (!image) return std::nullopt;
  SavedIndex kept{.head = repository.head().commit, .image = *std::move(image)};
  keep_on_disk(repository, kept);
  for (const repo::StagedBlob& staged : repository.staged()) besides.push_back(staged.blob);
  const std::string reference = saved_index_reference(repository);
  // Of a drive that was killed while it wrote the reference.
  static_cast<void>(repository.remove_stale_locks({reference}));
  repository.hold(reference, besides);
  return kept;
}

bool is_index_kept(const repo::Repository& repository) {
  std::error_code unreadable;
  return fs::exists(fs::symlink_status(file_of(repository), unreadable));
}

void keep_on_disk(const repo::Repository& repository, const SavedIndex& kept) {
  const auto there = kept_in(repository);
  if (there && there->head == kept.head && there->image == kept.image) return;
  const fs::path file = file_of(repository);
  // A folder cannot be replaced by a file.
  std::error_code gone;
  fs::remove_all(file, gone);
  write_file_atomically(file, first_line(kept) + kept.image.bytes);
}

void restore_index(const repo::Repository& repository, const SavedIndex& kept) {
  repository.set_index(kept.image);
}

void forget_saved_index(const repo::Repository& repository) {
  const std::string reference = saved_index_reference(repository);
  static_cast<void>(repository.remove_stale_locks({reference}));
  repository.delete_reference(reference);
  std::error_code gone;
  fs::remove(file_of(repository), gone);
}

std::string lost_of_index(const repo::Repository& repository) {
  std::string lost;
  for (const repo::StagedBlob& staged : repository.staged()) {
    if (repository.has_blob(staged.blob)) continue;
    if (repository.hash_of(staged.path) == staged.blob) {
      static_cast<void>(repository.store(staged.path));
    } else {
      lost += (lost.empty() ? "" : " ") + staged.path;
    }
  }
  if (lost.empty()) return {};
  return fmt::format(
      "what was staged of {0} is no longer in git's store: 'git add {0}' stages what "
      "the worktree has",
      lost);
}

std::string recover_index(const repo::Repository& repository, const Folders& folders) {
  remove_unfinished_writes(file_of(repository));
  if (!is_index_kept(repository)) {
    if (!repository.has_reference(saved_index_reference(repository))) return {};
    forget_saved_index(repository);
    return fmt::format(
        "a turn of the agent was interrupted, and {}, the index from before it, is gone: what is "
        "staged now is what the agent left; 'git status' shows it, 'git add' and 'git restore "
        "--staged' change it",
        file_of(repository).string());
  }
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
        "HEAD has moved since the interrupted turn of the agent: git's index stays as it is, and "
        "that from before the turn is in {}",
        put_aside(kept->image, folders).string());
  } else {
    const std::string aside = now ? put_aside(*now, folders).string() : "";
    repository.set_index(kept->image);
    said = "git's index was restored to what it was before the interrupted turn of the agent";
    if (!aside.empty()) said += "; the index until now is in " + aside;
    if (const std::string lost = lost_of_index(repository); !lost.empty()) said += "; but " + lost;
  }
  forget_saved_index(repository);
  return said;
}

}  // namespace autokernel::loop
