// What a Loop is made of, for the files that implement it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/file_lock.h"
#include "autokernel/cases/case.h"
#include "autokernel/loop/loop.h"
#include "autokernel/repo/repository.h"
#include "loop/apply_journal.h"
#include "loop/folders.h"
#include "loop/run_state.h"

namespace autokernel::loop {

// How much of the ledger is looked at: its end, which takes no time, or all of it.
enum class Extent : std::uint8_t { end, whole };

struct Loop::Parts {
  repo::Repository repository;
  Folders folders;
  LoopContext context;
  std::optional<FileLock> lock;  // none for those who only look while another works
  std::string under_way;         // by which other program; empty: none
  // A run's state is worked out once and then kept up.
  std::optional<RunState> known = {};
  std::vector<std::string> ledger_notes = {};  // what was found on opening it for the state

  [[nodiscard]] static std::unique_ptr<Parts> make(const std::filesystem::path& here,
                                                   LoopContext context);
  // Makes the loop's folder and both names of the ledger, and says what was missing.
  void make_ready() const;
  // Takes the lock; throws Error(repository) where another holds it for longer than a look takes.
  void wait_for_lock(const std::string& purpose);
  // Takes the lock if nobody holds it, and then repairs what is half done; else sets under_way.
  void take_lock(const std::string& purpose);
  // Who does not hold the lock only reads.
  [[nodiscard]] ledger::Ledger open_ledger() const {
    return lock ? ledger::Ledger::open(folders.own()) : ledger::Ledger::open_to_read(folders.own());
  }

  void say(const std::string& line) const {
    if (context.say) context.say(line);
  }
  void at(std::string_view point) const {
    if (context.reached) context.reached(point);
  }
  // The run of the branch that the head is on. Throws Error(repository) where there is none.
  [[nodiscard]] RunState& state();
  [[nodiscard]] Status& run() { return state().status; }
  // The same with the files that have strayed by now.
  [[nodiscard]] RunState& look();
  // Reads the state of that branch's run, from the ledger and without a look into git.
  RunState& read_state(const std::string& branch);
  // Makes this the state, that of the last run on the branch; throws Error(repository) where
  // there is none.
  RunState& adopt(std::optional<RunState> found, const std::string& branch);
  // The source of a commit's editable file. Throws Error(repository) where it has none.
  [[nodiscard]] std::string source_at(const std::string& commit, const std::string& editable) const;
  // The request of a trial of that case in that run, its source still to be set.
  [[nodiscard]] trial::Request request(const ledger::RunStarted& run, cases::CaseFiles files) const;
  // Runs a trial, and writes its log to `log` (from the root).
  [[nodiscard]] trial::Result measure(const trial::Request& request, const std::string& log) const;
  // Writes a log to that path from the root; says so where it cannot.
  void keep_log(const std::string& log, const std::string& text) const;
  // Runs the same trial of `what` in fresh processes, up to the first that is not correct.
  [[nodiscard]] std::vector<trial::Result> measure_again(const trial::Request& request,
                                                         int processes,
                                                         const std::string& what) const;
  // Does what is decided, and says what was in the way.
  void apply(const Recording& recording);
  // Finishes or takes back what is half done, and says so. To be called by the holder of the lock.
  void repair();
  // What was changed in the ledger since it was written, each in a sentence.
  [[nodiscard]] std::vector<std::string> ledger_faults(const RunState& run, Extent extent) const;
  // Throws Error(scope) where the ledger, results.tsv, the references or the program itself are not
  // what they were, naming all that was found and what to do. A table that is gone is made again.
  void require_untampered(const RunState& run, Extent extent) const;
  // Throws Error(repository) where git has something under way or no branch is checked out.
  void require_quiet_head() const;
};

}  // namespace autokernel::loop
