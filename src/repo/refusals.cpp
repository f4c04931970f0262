#include "repo/refusals.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/files.h"
#include "repo/git_failure.h"

namespace autokernel::repo {

namespace fs = std::filesystem;

namespace {

[[nodiscard]] Error refusal(const fs::path& repository, std::string_view reason,
                            std::string_view remedy) {
  return {Stop::repository,
          fmt::format("cannot use the repository {}: {}; {}", repository.string(), reason, remedy)};
}

[[nodiscard]] std::optional<std::string> setting(git_config* config, const char* name) {
  git_buf value = GIT_BUF_INIT;
  if (!found(git_config_get_string_buf(&value, config, name),
             fmt::format("cannot read git's setting {}", name), "git_config_get_string_buf")) {
    return std::nullopt;
  }
  const Owned<git_buf*> owned = own(&value);
  return std::string(value.ptr, value.size);
}

// The extensions that this libgit2 knows, in small letters.
[[nodiscard]] std::vector<std::string> known_extensions() {
  git_strarray names{};
  check(git_libgit2_opts(GIT_OPT_GET_EXTENSIONS, &names), "cannot ask what libgit2 can read",
        "git_libgit2_opts");
  const Owned<git_strarray*> owned = own(&names);
  return {names.strings, names.strings + names.count};
}

// The first extension of git's format that the settings ask for and libgit2 does not know.
[[nodiscard]] std::optional<std::string> unknown_extension(git_config* config) {
  constexpr std::string_view kSection = "extensions.";
  // git itself minds extensions from this version of the format on.
  if (setting(config, "core.repositoryformatversion").value_or("0") == "0") return std::nullopt;
  const std::string attempt = "cannot read git's settings";
  const std::vector<std::string> known = known_extensions();
  git_config_iterator* settings = nullptr;
  check(git_config_iterator_new(&settings, config), attempt, "git_config_iterator_new");
  const Owned<git_config_iterator*> owned = own(settings);
  for (;;) {
    git_config_entry* entry = nullptr;
    const int status = git_config_next(&entry, settings);
    if (status == GIT_ITEROVER) return std::nullopt;
    check(status, attempt, "git_config_next");
    const std::string_view name = entry->name;
    if (!name.starts_with(kSection)) continue;
    std::string extension(name.substr(kSection.size()));
    if (std::ranges::find(known, extension) == known.end()) return extension;
  }
}

// The first setting in such a file that is more than which files are there (git sparse-checkout).
[[nodiscard]] std::optional<std::string> setting_for_one_worktree(const fs::path& file) {
  constexpr std::array<std::string_view, 3> kHarmless = {"core.sparsecheckout",
                                                         "core.sparsecheckoutcone", "index.sparse"};
  if (!fs::exists(file)) return std::nullopt;
  const std::string attempt = "cannot read " + file.string();
  git_config* config = nullptr;
  check(git_config_open_ondisk(&config, file.c_str()), attempt, "git_config_open_ondisk");
  const Owned<git_config*> owned = own(config);
  git_config_iterator* settings = nullptr;
  check(git_config_iterator_new(&settings, config), attempt, "git_config_iterator_new");
  const Owned<git_config_iterator*> owned_settings = own(settings);
  for (;;) {
    git_config_entry* entry = nullptr;
    const int status = git_config_next(&entry, settings);
    if (status == GIT_ITEROVER) return std::nullopt;
    check(status, attempt, "git_config_next");
    const std::string_view name = entry->name;
    if (std::ranges::find(kHarmless, name) == kHarmless.end()) return std::string(name);
  }
}

// For messages: the folder that the user knows rather than the .git in it.
[[nodiscard]] fs::path shown(const fs::path& git_folder) {
  const fs::path folder = git_folder.has_filename() ? git_folder : git_folder.parent_path();
  return folder.filename() == ".git" ? folder.parent_path() : folder;
}

// The folder with the .git, which is the one that git trusts or not; the folder itself where there
// is none above it, as in a bare repository.
[[nodiscard]] fs::path top_of(const fs::path& folder) {
  for (fs::path top = folder; top.has_relative_path(); top = top.parent_path()) {
    if (fs::exists(top / ".git")) return top;
  }
  return folder;
}

[[nodiscard]] bool belongs_to_another(const fs::path& top) {
  struct stat folder{};
  struct stat git_folder{};
  return (::stat(top.c_str(), &folder) == 0 && folder.st_uid != ::geteuid()) ||
         (::stat((top / ".git").c_str(), &git_folder) == 0 && git_folder.st_uid != ::geteuid());
}

// git 2.40 and later can leave out the checksum at the end of the index, which libgit2 takes for
// damage.
[[nodiscard]] bool lacks_checksum(const fs::path& index) {
  constexpr off_t kChecksum = 20;  // a SHA-1
  const Descriptor file(::open(index.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::array<char, kChecksum> last{};
  const off_t end = file.is_open() ? ::lseek(file.get(), 0, SEEK_END) : 0;
  if (end < kChecksum) return false;
  if (::pread(file.get(), last.data(), last.size(), end - kChecksum) != kChecksum) return false;
  return std::ranges::all_of(last, [](char byte) { return byte == 0; });
}

}  // namespace

fs::path common_folder_of(const fs::path& git_folder) {
  // A path in a line of its own.
  constexpr std::uint64_t kLongest = 64ULL << 10U;
  if (!fs::exists(git_folder / "commondir")) return git_folder;
  const std::string text =
      read_file(git_folder / "commondir", "where git's settings are", kLongest);
  return git_folder / text.substr(0, text.find('\n'));
}

void refuse_unknown_formats(const fs::path& git_folder) {
  const fs::path file = common_folder_of(git_folder) / "config";
  if (!fs::exists(file)) return;
  git_config* config = nullptr;
  check(git_config_open_ondisk(&config, file.c_str()), "cannot read " + file.string(),
        "git_config_open_ondisk");
  const Owned<git_config*> owned = own(config);
  const std::string objects = setting(config, "extensions.objectformat").value_or("sha1");
  if (objects != "sha1") {
    throw refusal(shown(git_folder),
                  fmt::format("its objects are named by {}; only SHA-1 is supported", objects),
                  "copy its files into a new one: git init --object-format=sha1 FOLDER");
  }
  const std::string references = setting(config, "extensions.refstorage").value_or("files");
  if (references != "files") {
    throw refusal(
        shown(git_folder),
        fmt::format("its references are kept as {}; only plain files are supported", references),
        "run there: git refs migrate --ref-format=files");
  }
  // git minds this one in every version of the format.
  if (setting(config, "extensions.worktreeconfig").has_value()) {
    if (const auto name = setting_for_one_worktree(git_folder / "config.worktree")) {
      throw refusal(shown(git_folder),
                    fmt::format("it has {} set for one worktree alone (extensions.worktreeConfig), "
                                "which is not understood",
                                *name),
                    "set it for all of them: git config --worktree --unset, then git config");
    }
  }
  // libgit2 would refuse these too, but leak memory for each setting that is none.
  if (const auto extension = unknown_extension(config)) {
    throw refusal(shown(git_folder),
                  fmt::format("it uses extensions.{}, which is not supported", *extension),
                  "work in a plain clone of it: git clone URL FOLDER");
  }
}

Error discovery_failure(int status, const fs::path& folder) {
  if (status == GIT_ENOTFOUND) {
    return {Stop::repository, fmt::format("{} is not in a git repository; make one there: git init",
                                          folder.string())};
  }
  return git_failure(status, fmt::format("cannot look for a repository around {}", folder.string()),
                     "git_repository_discover");
}

Error opening_failure(int status, const fs::path& folder) {
  const fs::path top = top_of(folder);
  // libgit2 1.5 says "not found" as long as nobody has set a safe.directory at all.
  if (status == GIT_EOWNER || (status == GIT_ENOTFOUND && belongs_to_another(top))) {
    return refusal(top, "it belongs to another user",
                   fmt::format("if you trust what is in it: git config --global --add "
                               "safe.directory '{}'",
                               top.string()));
  }
  return git_failure(status, fmt::format("cannot use the repository {}", top.string()),
                     "git_repository_open_ext");
}

void refuse_bare(const OpenRepository& open) {
  if (git_repository_is_bare(open.git()) == 0) return;
  const fs::path repository = shown(open.git_folder);
  throw refusal(repository, "it is bare, which means without files to work on",
                fmt::format("work in a clone of it: git clone '{}' FOLDER", repository.string()));
}

void refuse_files_elsewhere(const OpenRepository& open, const fs::path& folder) {
  const fs::path top = top_of(folder);
  if (open.root != top) {
    throw refusal(
        top,
        fmt::format("its files are said to lie in {}, and nothing outside of the "
                    "repository's own folder is touched",
                    open.root.string()),
        fmt::format("if its settings say so, 'git -C {} config --unset core.worktree' undoes that",
                    shown(open.git_folder).string()));
  }
  // The git folders of linked worktrees and of submodules have names of their own.
  const fs::path owner = shown(open.git_folder);
  const bool is_anothers = fs::path(open.git_folder).parent_path().filename() == ".git";
  std::error_code gone;
  if (is_anothers && !fs::equivalent(owner, top, gone)) {
    throw refusal(
        top, fmt::format("its .git leads to that of {}, whose files are others", owner.string()),
        "'git worktree add FOLDER' makes a second worktree of a repository");
  }
}

void refuse_unreadable_index(const OpenRepository& open) {
  git_index* index = nullptr;
  const int status = git_repository_index(&index, open.git());
  const Owned<git_index*> owned = own(index);
  if (status >= 0) return;
  const Error failure =
      git_failure(status, fmt::format("cannot use the repository {}", open.root.string()),
                  "git_repository_index");
  // libgit2 names the part of the index that it does not know, and has no code of its own for it.
  const std::string_view reason = failure.what();
  if (reason.find("'link'") != std::string_view::npos) {
    throw refusal(open.root, "its index is split, which is not supported",
                  "run there: git config core.splitIndex false && git update-index "
                  "--no-split-index");
  }
  if (reason.find("'sdir'") != std::string_view::npos) {
    throw refusal(open.root, "its index is sparse, which is not supported",
                  "run there: git sparse-checkout reapply --no-sparse-index");
  }
  if (lacks_checksum(open.git_folder / "index")) {
    throw refusal(open.root, "its index has no checksum, which is not supported",
                  "run there: git config index.skipHash false && git update-index "
                  "--force-write-index");
  }
  throw failure;
}

}  // namespace autokernel::repo
