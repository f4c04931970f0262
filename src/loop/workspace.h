// The worktree that a loop works in: its repository, the loop's own folders, and the lock that one
// program holds at a time. Whoever takes the lock finishes or takes back what is half done.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "autokernel/base/file_lock.h"
#include "autokernel/repo/repository.h"
#include "loop/apply_journal.h"
#include "loop/folders.h"

namespace autokernel::loop {

class Workspace {
 public:
  using Say = std::function<void(const std::string& line)>;

  // Of the repository that `here` lies in. The functions may be empty: then nothing is said.
  Workspace(const std::filesystem::path& here, Say say, Reached reached);

  // For those who change something. Throws Error(repository) where another program holds the lock
  // for longer than a look takes.
  void lock(const std::string& purpose);
  // For those who only look: repairs what is half done if nobody holds the lock and something can
  // be written.
  void look_in();
  // Whether anything can be written: a disk may be mounted to be read only.
  [[nodiscard]] bool is_writable() const;
  [[nodiscard]] bool is_locked() const { return lock_.has_value(); }
  // Whether a turn of an agent had been cut short when the lock was taken: its drive was killed.
  [[nodiscard]] bool found_cut_turn() const { return found_cut_turn_; }
  // Which other program holds the lock, and for what; empty: none.
  [[nodiscard]] const std::string& under_way() const { return under_way_; }

  [[nodiscard]] const repo::Repository& repository() const { return repository_; }
  [[nodiscard]] const Folders& folders() const { return folders_; }
  [[nodiscard]] const Reached& reached() const { return reached_; }
  void say(const std::string& line) const;
  void at(std::string_view point) const;

  // Makes the loop's folder and both names of the ledger, and says what was missing.
  void make_ready() const;
  // Finishes or takes back what is half done, and says so; whether there was anything. To be called
  // by the holder of the lock.
  [[nodiscard]] bool repair() const;
  // Throws Error(repository) where git has something under way or no branch is checked out.
  void require_quiet_head() const;
  // Writes a log to that path from the root; says so where it cannot.
  void keep_log(const std::string& log, const std::string& text) const;

 private:
  void try_to_lock(const std::string& purpose);

  repo::Repository repository_;
  Folders folders_;
  Say say_;
  Reached reached_;
  std::optional<FileLock> lock_;
  bool found_cut_turn_ = false;
  std::string under_way_;
};

}  // namespace autokernel::loop
