// Lock files left behind by a program that was killed, told from those that somebody still holds.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

#include "autokernel/base/system_error.h"
#include "repo/open_repository.h"

namespace autokernel::repo {

namespace fs = std::filesystem;

namespace {

// Between closing a lock file and renaming it, its holder cannot be told from a dead one. Nobody
// takes this long for that.
constexpr std::chrono::milliseconds kSecondLook{50};

struct Lock {
  std::string name;  // "index.lock", "refs/heads/main.lock"
  fs::path file;
  dev_t device = 0;
  ino_t inode = 0;
};

[[nodiscard]] std::vector<Lock> locks_there(const OpenRepository& open,
                                            const std::vector<std::string>& references) {
  std::vector<Lock> candidates{
      {.name = "index.lock", .file = open.git_folder / "index.lock"},
      {.name = "HEAD.lock", .file = open.git_folder / "HEAD.lock"},
      {.name = "packed-refs.lock", .file = open.common_folder / "packed-refs.lock"}};
  for (const std::string& reference : references) {
    candidates.push_back(
        {.name = reference + ".lock", .file = open.common_folder / (reference + ".lock")});
  }
  std::vector<Lock> locks;
  for (Lock& lock : candidates) {
    struct stat status{};
    if (::lstat(lock.file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    lock.device = status.st_dev;
    lock.inode = status.st_ino;
    locks.push_back(std::move(lock));
  }
  return locks;
}

// The folders of the processes that live, as far as this user may see them.
[[nodiscard]] std::vector<fs::path> living_processes() {
  std::vector<fs::path> processes;
  std::error_code failure;
  for (fs::directory_iterator entry("/proc", failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; })) {
      processes.push_back(entry->path());
    }
  }
  return processes;
}

[[nodiscard]] bool has_open(const fs::path& process, const Lock& lock) {
  std::error_code failure;
  for (fs::directory_iterator entry(process / "fd", failure), end; !failure && entry != end;
       entry.increment(failure)) {
    struct stat status{};
    if (::stat(entry->path().c_str(), &status) == 0 && status.st_dev == lock.device &&
        status.st_ino == lock.inode) {
      return true;
    }
  }
  return false;
}

// While a person writes the message of a commit, git keeps the index locked by a file that it has
// closed; but the editor was told which file to edit.
[[nodiscard]] bool edits_a_message(const fs::path& process, const OpenRepository& open) {
  std::ifstream file(process / "cmdline", std::ios::binary);
  const std::string arguments{std::istreambuf_iterator<char>(file), {}};
  const fs::path folder = open.git_folder;
  return std::ranges::any_of(std::array{"COMMIT_EDITMSG", "MERGE_MSG", "TAG_EDITMSG"},
                             [&](const char* name) {
                               return arguments.find((folder / name).string()) != std::string::npos;
                             });
}

[[nodiscard]] bool is_held(const Lock& lock, const std::vector<fs::path>& processes,
                           const OpenRepository& open) {
  return std::ranges::any_of(processes, [&](const fs::path& process) {
    return has_open(process, lock) || (lock.name == "index.lock" && edits_a_message(process, open));
  });
}

[[nodiscard]] bool is_still_there(const Lock& lock) {
  struct stat status{};
  return ::lstat(lock.file.c_str(), &status) == 0 && status.st_dev == lock.device &&
         status.st_ino == lock.inode;
}

}  // namespace

std::vector<std::string> Repository::remove_stale_locks(
    const std::vector<std::string>& references) const {
  std::vector<Lock> locks = locks_there(*opened_, references);
  if (locks.empty()) return {};
  const auto drop_held = [&] {
    const auto processes = living_processes();
    std::erase_if(locks, [&](const Lock& lock) { return is_held(lock, processes, *opened_); });
  };
  drop_held();
  if (locks.empty()) return {};
  std::this_thread::sleep_for(kSecondLook);
  drop_held();
  std::vector<std::string> removed;
  for (const Lock& lock : locks) {
    if (!is_still_there(lock)) continue;
    if (::unlink(lock.file.c_str()) != 0 && errno != ENOENT) {
      throw system_failure(Stop::repository,
                           "cannot remove the lock file " + lock.file.string() +
                               " of a program that was killed; remove it by hand",
                           "unlink");
    }
    removed.push_back(lock.name);
  }
  return removed;
}

}  // namespace autokernel::repo
