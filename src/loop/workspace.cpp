#include "loop/workspace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "loop/ledger_backup.h"
#include "loop/parallel/agent_worktree.h"
#include "loop/saved_index.h"
#include "loop/stray_processes.h"

namespace autokernel::loop {
namespace {

// Longer than it takes to repair anything, shorter than anyone waits.
constexpr std::chrono::milliseconds kPatience{1000};

constexpr const char* kLock = "autokernel-lock";

}  // namespace

Workspace::Workspace(const std::filesystem::path& here, Say say, Reached reached)
    : repository_(repo::Repository::open(here)),
      folders_(repository_.root()),
      say_(std::move(say)),
      reached_(std::move(reached)) {}

void Workspace::lock(const std::string& purpose) {
  make_ready();
  // Somebody who only looks may be repairing something just now.
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (try_to_lock(purpose); !lock_; try_to_lock(purpose)) {
    if (std::chrono::steady_clock::now() >= deadline) {
      throw Error(Stop::repository,
                  fmt::format("another loop is running on {}: {}; wait for it, or stop it",
                              folders_.root().string(), under_way_));
    }
    std::this_thread::sleep_for(kPatience / 20);
  }
}

void Workspace::try_to_lock(const std::string& purpose) {
  // In git's own folder, as `git clean -fdx` would take it away while it is held.
  auto taken = FileLock::take(repository_.git_folder() / kLock, purpose);
  if (auto* held = std::get_if<FileLock>(&taken)) {
    lock_.emplace(std::move(*held));
    under_way_.clear();
    found_cut_turn_ = is_turn_recorded(repository_.git_folder());
    // Before anything else: they may be writing into what is repaired.
    std::vector<std::filesystem::path> turns = agent_turn_folders(repository_.git_folder());
    turns.push_back(repository_.git_folder());
    for (const std::filesystem::path& turn : turns) {
      if (const std::string ended = end_stray_processes(turn); !ended.empty()) say(ended);
    }
    static_cast<void>(repair());
    if (const std::string repaired = recover_index(repository_, folders_); !repaired.empty()) {
      say(repaired);
    }
  } else {
    under_way_ = std::get<FileLock::Holder>(taken).text;
  }
}

void Workspace::look_in() {
  std::error_code unreadable;
  const bool half_done = std::filesystem::exists(folders_.journal(), unreadable);
  const bool left_over =
      half_done || is_turn_recorded(repository_.git_folder()) || is_index_kept(repository_);
  if (is_writable()) {
    if (is_ledger_lost(repository_, folders_)) make_ready();
    // A lock that was taken for a look would stop a step that begins just now.
    if (left_over) try_to_lock("autokernel, recovering");
  } else if (left_over) {
    say("a program was killed here and left its work unfinished; it stays so, as nothing can be "
        "written here");
  }
  // An agent that looks around in its turn need not wait for the drive that waits for it.
  if (!half_done) under_way_.clear();
}

bool Workspace::is_writable() const {
  return ::access(repository_.git_folder().c_str(), W_OK) == 0;
}

void Workspace::say(const std::string& line) const {
  if (say_) say_(line);
}

void Workspace::at(std::string_view point) const {
  if (reached_) reached_(point);
}

void Workspace::make_ready() const {
  folders_.make();
  if (const std::string repaired = keep_ledger(repository_, folders_); !repaired.empty()) {
    say(repaired);
  }
}

bool Workspace::repair() const {
  const std::vector<std::string> repaired = recover(repository_, folders_, reached_);
  for (const std::string& what : repaired) say(what);
  return !repaired.empty();
}

void Workspace::require_quiet_head() const {
  if (const std::string operation = repository_.operation_under_way(); !operation.empty()) {
    throw Error(
        Stop::repository,
        fmt::format("a {0} is in progress in {1}: finish it, or abort it with 'git {0} {2}'",
                    operation, folders_.root().string(),
                    operation == "bisect" ? "reset" : "--abort"));
  }
  if (repository_.head().branch.empty()) {
    throw Error(Stop::repository, "HEAD of " + folders_.root().string() +
                                      " is detached: switch to a branch with 'git switch BRANCH'");
  }
}

void Workspace::keep_log(const std::string& log, const std::string& text) const {
  const std::filesystem::path file = folders_.root() / log;
  try {
    folders_.make_below(file.parent_path());
    write_file_atomically(file, text, Sync::no);
  } catch (const Error& error) {
    say(std::string("cannot keep the log: ") + error.what());
  }
}

}  // namespace autokernel::loop
