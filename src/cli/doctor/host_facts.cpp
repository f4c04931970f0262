#include "cli/doctor/host_facts.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "autokernel/base/cache_folder.h"
#include "autokernel/base/error.h"
#include "autokernel/base/scratch.h"
#include "autokernel/base/search_path.h"
#include "autokernel/http/curl_library.h"
#include "cli/folders.h"

namespace autokernel::cli::doctor {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] std::optional<std::string> variable(const char* name) {
  const char* value =
      std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  if (value == nullptr) return {};
  return value;
}

[[nodiscard]] bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

[[nodiscard]] std::optional<std::uint64_t> free_bytes(const fs::path& folder) {
  std::error_code failure;
  const fs::space_info space = fs::space(folder, failure);
  if (failure) return {};
  return space.available;
}

// Tried in earnest, as every bench makes a folder there.
[[nodiscard]] Folder look_at_temporary_folder() {
  Folder folder;
  std::error_code failure;
  const fs::path path = fs::temp_directory_path(failure);
  folder.path = failure ? variable("TMPDIR").value_or("/tmp") : path.string();
  try {
    const ScratchDirectory scratch;
    folder.free_bytes = free_bytes(scratch.path());
  } catch (const Error& error) {
    folder.trouble = error.what();
  }
  return folder;
}

[[nodiscard]] std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// Where git keeps the state of the files in `root`: in a worktree .git is a file that says where.
[[nodiscard]] fs::path git_folder(const fs::path& root) {
  fs::path git = root / ".git";
  std::error_code ignored;
  if (fs::is_directory(git, ignored)) return git;
  constexpr std::string_view kPrefix = "gitdir: ";
  const std::string line = first_line(git);
  if (!line.starts_with(kPrefix)) return git;
  return root / line.substr(kPrefix.size());
}

[[nodiscard]] std::string under_way(const fs::path& git) {
  struct Mark {
    const char* file;
    const char* operation;
  };
  static constexpr std::array kMarks = {
      Mark{"MERGE_HEAD", "merge"},    Mark{"rebase-merge", "rebase"},
      Mark{"rebase-apply", "rebase"}, Mark{"CHERRY_PICK_HEAD", "cherry-pick"},
      Mark{"REVERT_HEAD", "revert"},  Mark{"BISECT_LOG", "bisect"}};
  for (const Mark& mark : kMarks) {
    if (is_there(git / mark.file)) return mark.operation;
  }
  return {};
}

// The bare repository that `here` lies in; empty where it lies in none.
[[nodiscard]] fs::path bare_repository_of(const fs::path& here) {
  std::error_code ignored;
  for (fs::path folder = fs::weakly_canonical(here, ignored); !folder.empty();
       folder = folder.parent_path()) {
    const bool is_one = is_there(folder / "HEAD") &&
                        fs::is_directory(folder / "objects", ignored) &&
                        fs::is_directory(folder / "refs", ignored);
    if (is_one) return folder;
    if (folder == folder.root_path()) break;
  }
  return {};
}

}  // namespace

Repository look_at_repository(const fs::path& here) {
  const auto root = repository_of(here);
  if (!root) {
    Repository none;
    none.git_folder = bare_repository_of(here).string();
    return none;
  }
  const fs::path git = git_folder(*root);
  constexpr std::string_view kBranch = "ref: refs/heads/";
  const std::string head = first_line(git / "HEAD");
  return {.root = root->string(),
          .branch = head.starts_with(kBranch) ? head.substr(kBranch.size()) : std::string(),
          .under_way = under_way(git),
          .locked = is_there(git / "index.lock"),
          .git_folder = git.string()};
}

Folder look_at_folder(const fs::path& folder) {
  fs::path existing = folder;
  while (!existing.empty() && !is_there(existing) && existing != existing.root_path()) {
    existing = existing.parent_path();
  }
  Folder found{.path = folder.string(), .trouble = {}, .free_bytes = free_bytes(existing)};
  std::error_code ignored;
  if (!fs::is_directory(existing, ignored)) {
    found.trouble = existing.string() + " is no folder";
  } else if (::access(existing.c_str(), W_OK | X_OK) != 0) {
    found.trouble = std::generic_category().message(errno);
  }
  return found;
}

HostFacts host_facts(const fs::path& here) {
  HostFacts facts{.visible_devices = variable("CUDA_VISIBLE_DEVICES"),
                  .has_gpu_node = is_there("/dev/nvidiactl"),
                  .gnuplot = find_on_path("gnuplot").string(),
                  .curl = {},
                  .curl_trouble = {},
                  .temporary = look_at_temporary_folder(),
                  .cache = look_at_folder(cache_folder()),
                  .logs = look_at_folder(logs_folder(here)),
                  .repository = look_at_repository(here)};
  try {
    // "libcurl/7.88.1 OpenSSL/3.0.17 ...": the rest are the libraries that it uses.
    const std::string version = http::CurlLibrary::open().version();
    facts.curl = version.substr(0, version.find(' '));
  } catch (const Error& error) {
    facts.curl_trouble = error.what();
  }
  return facts;
}

}  // namespace autokernel::cli::doctor
