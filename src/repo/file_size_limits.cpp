#include "repo/file_size_limits.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <git2/sys/alloc.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "autokernel/base/descriptor.h"
#include "repo/git_failure.h"
#include "repo/index.h"

namespace autokernel::repo {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMebibyte = 1ULL << 20U;
// Settings, ignored names and attributes are written by hand: the largest have some hundred KiB.
// git itself looks at no .gitattributes of more than 100 MiB.
constexpr std::uint64_t kLargestSettings = 16 * kMebibyte;
// The name of a commit, or of another reference.
constexpr std::uint64_t kLargestReference = kMebibyte;
// Some sixty bytes for each reference: of a million tags.
constexpr std::uint64_t kLargestPackedReferences = 128 * kMebibyte;
// As much as the largest of these, and what libgit2 adds to it.
constexpr std::uint64_t kMostMemoryAtOnce = kLargestIndex + 64 * kMebibyte;

[[nodiscard]] std::string size_text(std::uint64_t bytes) {
  return bytes < (kMebibyte << 10U) ? fmt::format("{} MiB", bytes / kMebibyte)
                                    : fmt::format("{} GiB", bytes >> 30U);
}

// A link is followed, as git does.
void refuse_larger(const fs::path& file, std::uint64_t limit, std::string_view remedy) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size <= limit) return;
  throw Error(Stop::repository,
              fmt::format("{} has {}, which git would read, and such a file has at most {}: {}",
                          file.string(), size_text(size), size_text(limit), remedy));
}

constexpr std::string_view kMoveAway = "restore the one that was there, or move it away";

// Looks at the files of a worktree in the order of its index. Each is looked for from its folder:
// there may be tens of thousands, and every step looks at them all.
class WorktreeFiles {
 public:
  explicit WorktreeFiles(fs::path root) : root_(std::move(root)) { enter(""); }

  // An index knows the lower 32 bits of a size alone: one that differs in the others looks the same
  // to libgit2, which then reads all of the file.
  void refuse_endless(const char* path) {
    const char* const slash = std::strrchr(path, '/');
    const std::string_view folder =
        slash == nullptr ? std::string_view() : std::string_view(path, slash);
    if (folder != folder_) enter(folder);
    struct stat status{};
    if (!opened_.is_open() ||
        ::fstatat(opened_.get(), slash == nullptr ? path : slash + 1, &status,
                  AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode) ||
        static_cast<std::uint64_t>(status.st_size) <= std::numeric_limits<std::uint32_t>::max()) {
      return;
    }
    throw Error(Stop::repository,
                fmt::format("{0} has {1} GiB, which is too large to examine: restore it with 'git "
                            "checkout -- {0}', or move it out of the repository",
                            (root_ / path).string(), status.st_size >> 30U));
  }

 private:
  void enter(std::string_view folder) {
    folder_ = folder;
    const fs::path place = root_ / folder_;
    opened_ = Descriptor(::open(place.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    for (fs::path above = folder_; looked_at_.insert(above).second; above = above.parent_path()) {
      for (const char* name : {".gitignore", ".gitattributes"}) {
        refuse_larger(root_ / above / name, kLargestSettings, kMoveAway);
      }
    }
  }

  fs::path root_;
  std::string folder_;
  Descriptor opened_;             // that folder
  std::set<fs::path> looked_at_;  // folders, for what they tell git
};

// Memory as libgit2 asks for it, and none beyond the limit.
void* taken(std::size_t size, const char* /*file*/, int /*line*/) {
  return size > kMostMemoryAtOnce ? nullptr : std::malloc(size);
}
void* taken_again(void* memory, std::size_t size, const char* /*file*/, int /*line*/) {
  return size > kMostMemoryAtOnce ? nullptr : std::realloc(memory, size);
}
void given_back(void* memory) { std::free(memory); }

// Whether `count` times `size` is a number at all, and one within the limit.
[[nodiscard]] bool is_within(std::size_t count, std::size_t size) {
  return size == 0 || count <= kMostMemoryAtOnce / size;
}
void* array(std::size_t count, std::size_t size, const char* file, int line) {
  return is_within(count, size) ? taken(count * size, file, line) : nullptr;
}
void* array_again(void* memory, std::size_t count, std::size_t size, const char* file, int line) {
  return is_within(count, size) ? taken_again(memory, count * size, file, line) : nullptr;
}
void* zeros(std::size_t count, std::size_t size, const char* /*file*/, int /*line*/) {
  return is_within(count, size) ? std::calloc(count, size) : nullptr;
}
char* text_of_length(const char* text, std::size_t length, const char* file, int line) {
  auto* const copy = static_cast<char*>(taken(length + 1, file, line));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}
char* text_up_to(const char* text, std::size_t length, const char* file, int line) {
  return text_of_length(text, ::strnlen(text, length), file, line);
}
char* whole_text(const char* text, const char* file, int line) {
  return text_of_length(text, std::strlen(text), file, line);
}

// Newer versions of libgit2 ask for fewer functions.
template <typename Allocator>
[[nodiscard]] Allocator limited() {
  Allocator allocator{};
  allocator.gmalloc = taken;
  allocator.grealloc = taken_again;
  allocator.gfree = given_back;
  if constexpr (requires { allocator.gcalloc; }) {
    allocator.gcalloc = zeros;
    allocator.gstrdup = whole_text;
    allocator.gstrndup = text_up_to;
    allocator.gsubstrdup = text_of_length;
    allocator.greallocarray = array_again;
    allocator.gmallocarray = array;
  }
  return allocator;
}

}  // namespace

void refuse_endless_settings(const fs::path& git_folder, const fs::path& common_folder) {
  for (const char* name : {"config", "info/attributes", "info/exclude", "objects/info/alternates",
                           "shallow", "info/grafts"}) {
    refuse_larger(common_folder / name, kLargestSettings, kMoveAway);
  }
  refuse_larger(git_folder / "config.worktree", kLargestSettings, kMoveAway);
  refuse_larger(git_folder / "HEAD", kLargestReference,
                "put it back with a line 'ref: refs/heads/BRANCH'");
  refuse_larger(common_folder / "packed-refs", kLargestPackedReferences, kMoveAway);
  refuse_larger(git_folder / "index", kLargestIndex,
                "remove it, and 'git reset' rebuilds it from the commit");
}

void refuse_endless_reference(const OpenRepository& open, const std::string& name) {
  for (const fs::path& folder : {open.git_folder, open.common_folder}) {
    refuse_larger(folder / name, kLargestReference,
                  "remove it, and set it again with 'git update-ref NAME COMMIT'");
  }
}

void refuse_endless_worktree(const OpenRepository& open) {
  const Owned<git_index*> index = index_of(open);
  WorktreeFiles files(open.root);
  for (std::size_t i = 0; i < git_index_entrycount(index.get()); ++i) {
    files.refuse_endless(git_index_get_byindex(index.get(), i)->path);
  }
}

void limit_memory() {
  // Older versions of libgit2 keep a pointer to it.
  static auto allocator = limited<git_allocator>();
  check(git_libgit2_opts(GIT_OPT_SET_ALLOCATOR, &allocator), "cannot limit libgit2's memory",
        "git_libgit2_opts");
}

}  // namespace autokernel::repo
