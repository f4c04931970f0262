#include "autokernel/loop/drive.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/owned.h"
#include "autokernel/base/visible_text.h"
#include "loop/agent.h"
#include "loop/agent_cleanup.h"
#include "loop/anticipation.h"
#include "loop/brief.h"
#include "loop/drive_parts.h"
#include "loop/editable_set.h"
#include "loop/measurer.h"
#include "loop/names.h"
#include "loop/run_checks.h"
#include "loop/run_clock.h"
#include "loop/run_record.h"
#include "loop/saved_index.h"
#include "loop/scope.h"
#include "loop/seal.h"
#include "loop/stray_processes.h"
#include "loop/unmeasured_edit.h"
#include "loop/workspace.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// An agent that has led to nothing so many times in a row has no key, no network or no idea.
constexpr int kMostInVain = 5;
// More than any agent has to say; it is named, and the middle of it is not kept.
constexpr std::uint64_t kFlood = 16ULL << 20U;

// At the files, while the agent works: more often than an agent needs to end its turn.
constexpr std::chrono::milliseconds kBetweenLooks{100};

constexpr const char* kStash = "refs/stash";

// What a turn may have to put back and no commit holds: a clean-up of git's would take it away.
[[nodiscard]] std::vector<std::string> blobs_of(const ledger::RunStarted& run) {
  std::vector<std::string> blobs;
  for (const ledger::Unsaved& unsaved : run.unsaved) {
    if (!unsaved.blob.empty()) blobs.push_back(unsaved.blob);
  }
  for (const auto& [path, blob] : run.guarded) blobs.push_back(blob);
  return blobs;
}

class AgentDriver {
 public:
  AgentDriver(Loop& loop, const Workspace& workspace, RunRecord& record, Measurer& measurer,
              const DriveOptions& options, const DriveObserver& observer)
      : loop_(loop),
        workspace_(workspace),
        record_(record),
        measurer_(measurer),
        options_(options),
        observer_(observer),
        budget_(options.budget) {}

  Driven drive() {
    const Owned<Measurer*> listening = measurer_.finishing_a_step(driven_.signal);
    workspace_.require_quiet_head();
    take_over_what_changed(workspace_, record_);
    // Whoever drives it wants it to go on.
    record_.status().finished = false;
    int in_vain = 0;
    if (const auto idea = unmeasured_idea()) {
      workspace_.say("an edit that was not measured is measured first: " + *idea);
      static_cast<void>(step({}, *idea, {}));
    }
    while (driven_.signal == 0 && budget_.why_stop(record_.status(), driven_.experiments).empty()) {
      record_.status().hours = hours_of(record_.status());
      in_vain = take_turn() ? 0 : in_vain + 1;
      if (const auto signal = interrupts_.next()) driven_.signal = *signal;
      if (driven_.signal != 0 || in_vain < kMostInVain) continue;
      driven_.gave_up = true;
      driven_.why = fmt::format(
          "{} turns of the agent in a row led to no experiment; the last one: {}; its output is in "
          "{}",
          in_vain, last_reason_, last_log_);
      return driven_;
    }
    driven_.why = driven_.signal != 0 ? "interrupted"
                                      : budget_.why_stop(record_.status(), driven_.experiments);
    return driven_;
  }

 private:
  // One turn of the agent, and the experiment it leads to; false where it leads to none.
  [[nodiscard]] bool take_turn() {
    const Status& status = record_.status();
    const fs::path idea_file = workspace_.folders().own() / "idea.txt";
    std::error_code failed;
    fs::remove(idea_file, failed);
    const std::string brief =
        brief_of(status, idea_file, remarks_, find_playbook(workspace_.folders().root()));
    write_file_atomically(workspace_.folders().brief(), brief, Sync::no);
    const fs::path git_folder = workspace_.repository().git_folder();
    const std::optional<SavedIndex> index =
        keep_index(workspace_.repository(), blobs_of(status.run));
    workspace_.at("index kept");
    std::map<std::string, std::string> environment = begin_turn(git_folder);
    const auto stash = workspace_.repository().reference(kStash);
    environment["AUTOKERNEL_BRIEF"] = workspace_.folders().brief().string();
    environment["AUTOKERNEL_IDEA_FILE"] = idea_file.string();
    environment["AUTOKERNEL_KERNEL"] = (workspace_.folders().root() / status.run.editable).string();
    Anticipation ahead(workspace_, measurer_, status);
    auto looked = Clock::now();
    const auto agent_works = [&](std::chrono::duration<double> elapsed) {
      if (Clock::now() - looked >= kBetweenLooks) {
        looked = Clock::now();
        ahead.look();
      }
      if (observer_.agent_works) observer_.agent_works(elapsed);
    };
    const AgentTurn turn =
        run_agent({.line = options_.agent,
                   .directory = workspace_.folders().root(),
                   .environment = environment,
                   .brief = brief,
                   .timeout = std::chrono::duration<double>(options_.agent_seconds)},
                  interrupts_, agent_works);
    // It may have removed whatever git ignores.
    workspace_.make_ready();
    keep_output(turn);
    end_turn(git_folder);
    remarks_.clear();
    const Cleanup cleanup = clean_up_under_journal(workspace_, record_, index);
    note_misdeeds(turn, cleanup);
    note_stash(stash);
    driven_.signal = turn.signal;
    if (turn.ending == AgentTurn::Ending::interrupted ||
        turn.ending == AgentTurn::Ending::timed_out) {
      take_edit_away();
      const bool timed_out = turn.ending == AgentTurn::Ending::timed_out;
      in_vain(turn, timed_out ? "timed out" : "interrupted",
              timed_out ? turn.how : "the run was interrupted", cleanup);
      return false;
    }
    const EditableSet editable(status.run);
    const std::string fault = editable.fault(workspace_.folders().root());
    if (!fault.empty()) {
      take_edit_away();
      in_vain(turn, "no kernel", fault + ": it was restored", cleanup);
      return false;
    }
    if (editable.matches(workspace_.repository(), status.best.commit)) {
      const bool failed_turn = turn.ending == AgentTurn::Ending::failed;
      in_vain(turn,
              failed_turn         ? "failed"
              : cleanup.nothing() ? "no edit"
                                  : "other files",
              failed_turn ? fmt::format("it ended with {} and edited nothing{}", turn.how,
                                        last_words(turn.output))
                          : editable.names() + " was not edited",
              cleanup);
      return false;
    }
    return step(turn, idea_of(idea_file, turn.output), cleanup);
  }

  [[nodiscard]] bool step(const AgentTurn& turn, const std::string& idea, const Cleanup& cleanup) {
    try {
      const Step made = loop_.step({.idea = idea.empty() ? "an edit without a description" : idea,
                                    .simpler = options_.simpler});
      ++driven_.experiments;
      if (observer_.stepped) observer_.stepped(made);
      return true;
    } catch (const Error& error) {
      // Nothing new to try: what it is, git has already, but for comments.
      if (error.stop() != Stop::usage) {
        note_unmeasured(unmeasured_file(), kernel_file(), idea);
        throw;
      }
      take_edit_away();
      in_vain(turn, "tried before", error.what(), cleanup);
      return false;
    }
  }

  [[nodiscard]] fs::path unmeasured_file() const {
    return workspace_.folders().own() / "unmeasured";
  }
  [[nodiscard]] fs::path kernel_file() {
    return workspace_.folders().root() / record_.status().run.editable;
  }
  // Of an edit that an earlier drive could not measure.
  [[nodiscard]] std::optional<std::string> unmeasured_idea() {
    auto idea = take_unmeasured(unmeasured_file(), kernel_file());
    const Status& status = record_.status();
    if (EditableSet(status.run).matches(workspace_.repository(), status.best.commit)) idea.reset();
    return idea;
  }

  void take_edit_away() {
    const Status& status = record_.status();
    if (EditableSet(status.run).matches(workspace_.repository(), status.best.commit)) return;
    record_.apply(nothing_to_record(workspace_, record_, "reverting an edit", status.best.commit));
  }

  void keep_output(const AgentTurn& turn) {
    const Status& status = record_.status();
    last_log_ = Folders::agent_log(status.run.tag, status.experiments.back().number + 1);
    workspace_.keep_log(last_log_, turn.output);
  }

  // What the agent should not do again; its next brief says so.
  void note_misdeeds(const AgentTurn& turn, const Cleanup& cleanup) {
    const auto note = [&](const std::string& what) {
      remarks_ += (remarks_.empty() ? "" : " ") + what;
      workspace_.say(what);
    };
    if (!cleanup.files.empty()) {
      std::string list;
      for (const std::string& file : cleanup.files) list += (list.empty() ? "" : ", ") + file;
      note(fmt::format("The agent changed other files, which were restored; its versions: {}.",
                       list));
    }
    if (!cleanup.commit.empty()) {
      note(fmt::format("The agent moved the branch to {}; it was moved back.",
                       short_id(cleanup.commit)));
    }
    if (!cleanup.lost.empty()) {
      workspace_.say("the agent made git clean up its object store: " + cleanup.lost);
    }
    if (turn.stragglers > 0) {
      note(fmt::format("The agent left processes running ({}); they were ended.", turn.stragglers));
    }
    if (turn.bytes > kFlood) {
      note(fmt::format("The agent wrote {} MB; only the beginning and the end were kept.",
                       turn.bytes >> 20U));
    }
  }

  // What it has put away may hold files of the user's; what it has dropped git still has for a
  // while.
  void note_stash(const std::optional<std::string>& before) {
    const auto now = workspace_.repository().reference(kStash);
    if (now == before) return;
    const std::string gone =
        before
            ? fmt::format("; 'git stash store {}' restores what was the newest one, if it is gone",
                          *before)
            : "";
    workspace_.say(
        fmt::format("the agent has changed git's stashes: 'git stash list' shows them{}", gone));
  }

  void in_vain(const AgentTurn& turn, const std::string& outcome, const std::string& reason,
               const Cleanup& cleanup) {
    ++driven_.turns_in_vain;
    Status& status = record_.status();
    ++status.turns_in_vain;
    last_reason_ = reason;
    driven_.agent_failed = outcome == "failed" || outcome == "timed out";
    remarks_ += (remarks_.empty() ? "" : " ") + reason + ".";
    const ledger::Turn entry{.at = now_utc(),
                             .tag = status.run.tag,
                             .outcome = outcome,
                             .reason = visible_line(remarks_),
                             .aside = cleanup.files,
                             .seconds = turn.seconds};
    Recording recording =
        nothing_to_record(workspace_, record_, "recording a turn of the agent", {});
    add_entries(recording, workspace_.repository(), workspace_.folders(), status.run.tag, {entry});
    record_.apply(recording);
    if (!observer_.in_vain) return;
    // What the agent should not have done has been said.
    ledger::Turn told = entry;
    told.reason = visible_line(reason);
    observer_.in_vain(told);
  }

  Loop& loop_;
  const Workspace& workspace_;
  RunRecord& record_;
  Measurer& measurer_;
  const DriveOptions& options_;
  const DriveObserver& observer_;
  // Also between two trials of a step, and while the branch is moved.
  const Interrupts interrupts_;
  const DriveBudget budget_;
  Driven driven_;
  std::string remarks_;      // on the last turn
  std::string last_reason_;  // why the last turn in vain was
  std::string last_log_;     // from the root
};

}  // namespace

void Loop::record_pause(const std::string& why, double seconds) {
  const ledger::Turn entry{.at = now_utc(),
                           .tag = record_->status().run.tag,
                           .outcome = ledger::kParked,
                           .reason = visible_line(why),
                           .aside = {},
                           .seconds = seconds};
  Recording recording = nothing_to_record(*workspace_, *record_, "recording a pause", {});
  add_entries(recording, workspace_->repository(), workspace_->folders(), entry.tag, {entry});
  record_->apply(recording);
}

Driven Loop::drive(const DriveOptions& options, const DriveObserver& observer) {
  require_known_device(record_->status().run);
  return AgentDriver(*this, *workspace_, *record_, *measurer_, options, observer).drive();
}

}  // namespace autokernel::loop
