// One of several agents: its turns, and the measurement of what it edits. The run's record is only
// read; what there is to write in it goes to the process that started this one.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/line_buffer.h"
#include "autokernel/base/number.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/loop/parallel.h"
#include "autokernel/trial/message.h"
#include "autokernel/trial/record.h"
#include "loop/agent.h"
#include "loop/brief.h"
#include "loop/candidate.h"
#include "loop/names.h"
#include "loop/parallel/agent_message.h"
#include "loop/parallel/agent_worktree.h"
#include "loop/run_record.h"
#include "loop/run_reference.h"
#include "loop/stray_processes.h"
#include "loop/unmeasured_edit.h"

namespace autokernel::loop {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// The greatest number of a log of that agent with this prefix; 0: there is none.
[[nodiscard]] int last_log(const Folders& folders, const std::string& tag, std::size_t agent,
                           const std::string& prefix) {
  const fs::path folder =
      folders.root() / fs::path(Folders::log_by_agent(tag, agent, "any")).parent_path();
  int last = 0;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().stem();
    int number = 0;
    if (name.starts_with(prefix) && read_number(name.substr(prefix.size()), number))
      last = std::max(last, number);
  }
  return last;
}

class AgentProcess {
 public:
  AgentProcess(const AgentProcessOptions& options, LoopContext context, int messages)
      : options_(options),
        messages_(messages),
        workspace_(fs::current_path(), context.say, {}),
        record_(workspace_),
        measurer_(workspace_, std::move(context)),
        worktree_(workspace_, options.number) {
    // An earlier process's logs are those of experiments in the record.
    const std::string& tag = record_.status().run.tag;
    turns_ = last_log(workspace_.folders(), tag, options.number, "turn-");
    trials_ = last_log(workspace_.folders(), tag, options.number, "");
  }

  void run() {
    const Owned<Measurer*> listening = measurer_.finishing_a_step(signal_);
    while (signal_ == 0) {
      const std::optional<std::string> line = next_line();
      if (!line) return;
      const AgentOrder order = decode_order(*line);
      if (order.kind == AgentOrder::Kind::turn) begun_ = Clock::now();
      try {
        order.kind == AgentOrder::Kind::turn ? take_turn(order) : measure();
      } catch (const Error& error) {
        // The agent has its worktree to itself, and may have done anything to it. What is wrong
        // with the run itself, its driver will see.
        if (error.stop() != Stop::repository && error.stop() != Stop::usage) throw;
        worktree_.give_up(EditableSet(record_.status().run));
        in_vain("no experiment", error.what());
      }
      if (const auto signal = interrupts_.next()) signal_ = *signal;
    }
  }

  void report(const AgentReport& report) const {
    // Nobody is there any more to report to; the end of the input says so, too.
    static_cast<void>(write_all(messages_, encode(report)));
  }

 private:
  // None where the input has ended, or a signal came.
  [[nodiscard]] std::optional<std::string> next_line() {
    std::array<char, 65536> piece{};
    while (true) {
      if (auto line = lines_.next()) return line;
      std::array<pollfd, 2> watched{
          {{STDIN_FILENO, POLLIN, 0}, {interrupts_.descriptor(), POLLIN, 0}}};
      if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return std::nullopt;
      if (interrupts_.next()) return std::nullopt;
      if (watched[0].revents == 0) continue;
      const ssize_t count = ::read(STDIN_FILENO, piece.data(), piece.size());
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count <= 0) return std::nullopt;
      lines_.add({piece.data(), static_cast<std::size_t>(count)});
    }
  }

  // Where the run stands by now, on the device of this agent.
  [[nodiscard]] Status& status() {
    record_.forget();
    Status& status = record_.status();
    status.run.device = trial::spelling(options_.device);
    return status;
  }

  void take_turn(const AgentOrder& order) {
    report({.kind = AgentReport::Kind::works});
    const Status& status = this->status();
    worktree_.make_own();
    if (has_unmeasured(status)) return report({.kind = AgentReport::Kind::edited});
    worktree_.set(order.base, EditableSet(status.run));
    base_ = order.base;
    const AgentTurn turn = have_it_edit(status, order);
    for (const std::string& misdeed : misdeeds_of(turn, status.run))
      report({.kind = AgentReport::Kind::says, .reason = misdeed});
    if (turn.ending == AgentTurn::Ending::interrupted ||
        turn.ending == AgentTurn::Ending::timed_out) {
      signal_ = turn.signal;
      const std::string aside = worktree_.put_edit_aside(EditableSet(status.run));
      const std::string kept = aside.empty() ? "" : "; its edit is in " + aside;
      return turn.ending == AgentTurn::Ending::timed_out
                 ? in_vain("timed out", turn.how + kept)
                 : in_vain("interrupted", "the run was interrupted" + kept);
    }
    const EditableSet editable(status.run);
    if (const std::string fault = editable.fault(worktree_.root()); !fault.empty())
      return in_vain("no kernel", fault);
    if (editable.matches(worktree_.repository(), order.base)) {
      const bool failed = turn.ending == AgentTurn::Ending::failed;
      return in_vain(failed ? "failed" : "no edit",
                     failed
                         ? fmt::format("it ended with {} and edited nothing{}; its output is in {}",
                                       turn.how, last_words(turn.output), output_)
                         : editable.names() + " was not edited");
    }
    // Where its folder is a link by now, that is not followed.
    worktree_.make_own();
    idea_ = idea_of(idea_file(), turn.output);
    if (idea_.empty()) idea_ = "an edit without a description";
    // Whatever the agent has done to the run is set right first, by the one who keeps its record.
    report({.kind = AgentReport::Kind::edited});
  }

  // An edit of an earlier process's, which could not be measured then.
  [[nodiscard]] bool has_unmeasured(const Status& status) {
    if (!is_unmeasured(worktree_.unmeasured_file()) || !worktree_.reopen()) return false;
    const auto idea =
        take_unmeasured(worktree_.unmeasured_file(), worktree_.root() / status.run.editable);
    if (!idea || EditableSet(status.run).matches(worktree_.repository(), worktree_.commit()))
      return false;
    workspace_.say("an edit that was not measured is measured first: " + *idea);
    idea_ = *idea;
    base_ = worktree_.commit();
    return true;
  }

  [[nodiscard]] AgentTurn have_it_edit(const Status& status, const AgentOrder& order) {
    std::error_code failed;
    fs::remove(idea_file(), failed);
    std::string brief =
        brief_of(status, idea_file(), order.remarks, find_playbook(worktree_.root()));
    if (!order.guidance.empty()) brief += "\n" + order.guidance + "\n";
    const fs::path brief_file = worktree_.own() / "brief.md";
    write_file_atomically(brief_file, brief, Sync::no);
    std::map<std::string, std::string> environment = begin_turn(worktree_.turn_folder());
    environment["AUTOKERNEL_BRIEF"] = brief_file.string();
    environment["AUTOKERNEL_IDEA_FILE"] = idea_file().string();
    environment["AUTOKERNEL_KERNEL"] = (worktree_.root() / status.run.editable).string();
    environment["AUTOKERNEL_AGENT"] = std::to_string(options_.number);
    AgentTurn turn = run_agent({.line = options_.agent,
                                .directory = worktree_.root(),
                                .environment = environment,
                                .brief = brief,
                                .timeout = std::chrono::duration<double>(options_.agent_seconds)},
                               interrupts_, {});
    end_turn(worktree_.turn_folder());
    ++turns_;
    output_ =
        Folders::log_by_agent(status.run.tag, options_.number, fmt::format("turn-{}", turns_));
    workspace_.keep_log(output_, turn.output);
    return turn;
  }

  // What it should not do again; its next brief says so.
  [[nodiscard]] std::vector<std::string> misdeeds_of(const AgentTurn& turn,
                                                     const ledger::RunStarted& run) const {
    std::vector<std::string> misdeeds;
    const AgentWorktree::Strays strays = worktree_.strays(EditableSet(run), run.tag);
    if (!strays.aside.empty()) {
      misdeeds.push_back(
          fmt::format("The agent changed other files, which have no part in an experiment; its "
                      "versions are in {}.",
                      strays.aside));
    }
    if (!strays.commit.empty()) {
      misdeeds.push_back(
          fmt::format("The agent made a commit, which has no part in an experiment: "
                      "{}.",
                      short_id(strays.commit)));
    }
    if (turn.stragglers > 0) {
      misdeeds.push_back(
          fmt::format("The agent left processes running ({}); they were ended.", turn.stragglers));
    }
    return misdeeds;
  }

  // The edit in the worktree against the best by now.
  void measure() {
    report({.kind = AgentReport::Kind::measures});
    const Status& status = this->status();
    worktree_.require_intact();
    std::optional<Candidate> candidate;
    try {
      measurer_.hidden_sizes().require(status.run.hidden_sizes);
      candidate = commit_candidate(worktree_.repository(), workspace_.repository(), measurer_,
                                   status, idea_, {.idea = idea_, .simpler = options_.simpler});
    } catch (const Error& error) {
      // Nothing new to try: what it is, git has already, but for comments.
      if (error.stop() != Stop::usage) throw;
      return in_vain("tried before", error.what());
    }
    ledger::Experiment& started = candidate->trying.experiment;
    // Nothing else holds it until it is recorded, and an agent may have git clean up.
    set_run_reference(workspace_.repository(), reference_of_agent(options_.number), started.commit);
    ++trials_;
    started.log = Folders::log_by_agent(status.run.tag, options_.number, std::to_string(trials_));
    const Judged judged = measured(status, *candidate);
    ledger::Experiment experiment = experiment_of(*candidate, judged);
    experiment.result = trial::record(candidate->request, judged.result, experiment.log);
    experiment.seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
    experiment.agent = static_cast<int>(options_.number);
    if (base_ != experiment.incumbent) experiment.base = base_;
    report({.kind = AgentReport::Kind::attempt,
            .experiment = std::move(experiment),
            .result = trial::encode(trial::Event(judged.result))});
  }

  [[nodiscard]] Judged measured(const Status& status, const Candidate& candidate) {
    try {
      return GoalTrials(measurer_, status.run, candidate.files)
          .measure(candidate.request, candidate.trying.experiment.log);
    } catch (const Error&) {
      note_unmeasured(worktree_.unmeasured_file(), worktree_.root() / status.run.editable, idea_);
      throw;
    }
  }

  void in_vain(const std::string& outcome, const std::string& reason) const {
    report({.kind = AgentReport::Kind::in_vain,
            .outcome = outcome,
            .reason = visible_line(reason),
            .seconds = std::chrono::duration<double>(Clock::now() - begun_).count()});
  }

  [[nodiscard]] fs::path idea_file() const { return worktree_.own() / "idea.txt"; }

  const AgentProcessOptions& options_;
  int messages_;
  const Interrupts interrupts_;
  Workspace workspace_;
  RunRecord record_;
  Measurer measurer_;
  AgentWorktree worktree_;
  LineBuffer lines_;
  Clock::time_point begun_;
  std::string idea_;
  std::string base_;    // the commit that the agent started from
  std::string output_;  // log of the last turn, from the root
  int turns_ = 0;
  int trials_ = 0;
  int signal_ = 0;
};

}  // namespace

int run_agent_process(const AgentProcessOptions& options, LoopContext context, int messages) {
  const auto report = [messages](AgentReport what) {
    what.reason = visible_line(what.reason);
    static_cast<void>(write_all(messages, encode(what)));
  };
  context.say = [report](const std::string& line) {
    report({.kind = AgentReport::Kind::says, .reason = line});
  };
  const auto failed = [&](Stop stop, const std::string& why) {
    report({.kind = AgentReport::Kind::failed, .reason = why, .stop = static_cast<int>(stop)});
    return static_cast<int>(stop);
  };
  try {
    AgentProcess(options, std::move(context), messages).run();
    return 0;
  } catch (const Interrupted&) {
    return 0;  // who started this one knows
  } catch (const Error& error) {
    return failed(error.stop(), error.what());
  }
}

}  // namespace autokernel::loop
