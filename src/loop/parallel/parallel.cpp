// Several agents at a time. Each has a process of its own (agent_process.cpp), which has it edit
// and measures what it has edited; this one alone writes the record, one experiment after the
// other. An edit that was measured against a best that has been beaten meanwhile is measured again.
#include "autokernel/loop/parallel.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autokernel/base/drain.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/line_buffer.h"
#include "autokernel/base/process.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/trial/message.h"
#include "loop/candidate.h"
#include "loop/drive_parts.h"
#include "loop/measurer.h"
#include "loop/parallel/agent_message.h"
#include "loop/parallel/agent_worktree.h"
#include "loop/parallel/strategy.h"
#include "loop/run_checks.h"
#include "loop/run_clock.h"
#include "loop/run_record.h"
#include "loop/seal.h"
#include "loop/unmeasured_edit.h"

namespace autokernel::loop {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kInterval{100};
// An agent that has led to nothing so many times in a row has no key, no network or no idea.
constexpr int kMostInVain = 5;
// A process that was asked to stop has an agent to end, and files to put aside.
constexpr std::chrono::seconds kToEnd{10};

// The process of one agent, and what it does.
class AgentAtWork {
 public:
  enum class Does : std::uint8_t { nothing, edits, measures, ended };

  AgentAtWork(const std::vector<std::string>& process, std::size_t number,
              const trial::DeviceChoice& device)
      : number_(number), child_(started(process, number, device)) {}

  [[nodiscard]] std::size_t number() const { return number_; }
  [[nodiscard]] Does does() const { return does_; }
  [[nodiscard]] bool is_busy() const { return does_ == Does::edits || does_ == Does::measures; }
  [[nodiscard]] bool had_turn() const { return had_turn_; }
  // Nothing that it has edited is left to be looked at.
  [[nodiscard]] bool is_at_rest() const {
    return does_ == Does::ended ? is_at_rest_ : does_ == Does::nothing;
  }
  [[nodiscard]] int messages() const { return child_.messages().get(); }
  [[nodiscard]] int output() const { return child_.output().get(); }

  void order(const AgentOrder& order) {
    had_turn_ = true;
    const std::string line = encode(order);
    // Orders are short, and one at a time: the socket has room.
    if (::send(child_.input().get(), line.data(), line.size(), MSG_NOSIGNAL) < 0) return end();
    does_ = order.kind == AgentOrder::Kind::turn ? Does::edits : Does::measures;
  }
  // Its turn ends; a measurement goes on, unless it is to stop at once.
  void stop(bool at_once) const {
    ::kill(child_.id(), SIGTERM);
    // Signals of one kind would count as one.
    if (at_once) ::kill(child_.id(), SIGINT);
  }
  // It gets no orders any more.
  void retire() {
    is_at_rest_ = does_ == Does::nothing;
    does_ = Does::ended;
  }
  // Waits for its end; what takes too long is killed.
  void finish() {
    child_.input().close();
    const auto deadline = Clock::now() + kToEnd;
    while (!child_.wait_until(Clock::now() + kInterval) && Clock::now() < deadline) read();
    end();
  }

  // The next thing that it has to say.
  [[nodiscard]] std::optional<AgentReport> next_report() {
    if (const auto line = lines_.next()) {
      AgentReport report = decode_report(*line);
      if (report.kind == AgentReport::Kind::works || report.kind == AgentReport::Kind::edited)
        does_ = Does::edits;
      if (report.kind == AgentReport::Kind::measures) does_ = Does::measures;
      if (report.kind == AgentReport::Kind::attempt || report.kind == AgentReport::Kind::in_vain)
        does_ = Does::nothing;
      if (report.kind == AgentReport::Kind::failed) {
        is_at_rest_ = does_ == Does::nothing;
        does_ = Does::ended;
      }
      return report;
    }
    if (does_ == Does::ended || child_.messages().is_open()) return std::nullopt;
    end();
    return AgentReport{
        .kind = AgentReport::Kind::failed,
        .reason = "its process has ended" + (said_.empty() ? "" : ": " + visible_line(said_)),
        .stop = static_cast<int>(Stop::internal)};
  }
  void read() {
    drain(child_.messages(), [this](std::string_view piece) { lines_.add(piece); });
    drain(child_.output(), [this](std::string_view piece) {
      constexpr std::size_t kMost = 2000;
      said_ += piece;
      if (said_.size() > kMost) said_.erase(0, said_.size() - kMost);
    });
  }

  int in_vain = 0;      // turns in a row
  std::string remarks;  // on its last turn

 private:
  [[nodiscard]] static Child started(const std::vector<std::string>& process, std::size_t number,
                                     const trial::DeviceChoice& device) {
    std::vector<std::string> arguments = process;
    arguments.insert(arguments.end(),
                     {"--number", std::to_string(number), "--device", trial::spelling(device)});
    return Child::start(
        {.program = "/proc/self/exe", .arguments = std::move(arguments), .environment = {}});
  }
  void end() {
    if (does_ != Does::ended) is_at_rest_ = does_ == Does::nothing;
    does_ = Does::ended;
    static_cast<void>(child_.kill());
  }

  std::size_t number_;
  mutable Child child_;
  LineBuffer lines_;
  std::string said_;
  Does does_ = Does::nothing;
  bool is_at_rest_ = true;  // when it ended
  bool had_turn_ = false;
};

class ParallelDriver {
 public:
  ParallelDriver(const Workspace& workspace, RunRecord& record, Measurer& measurer,
                 const ParallelOptions& options, const ParallelObserver& observer)
      : workspace_(workspace),
        record_(record),
        measurer_(measurer),
        options_(options),
        observer_(observer),
        budget_(options.drive.budget),
        strategy_(make_strategy(options.strategy, options.agents)) {}

  Driven drive() {
    workspace_.require_quiet_head();
    take_over_what_changed(workspace_, record_);
    static_cast<void>(record_.look());
    require_sound(workspace_, record_, measurer_);
    record_.status().finished = false;
    start_agents();
    try {
      while (true) {
        if (driven_.signal == 0) give_orders();
        if (std::ranges::none_of(agents_, [](const auto& agent) { return agent->is_busy(); }))
          break;
        wait();
        for (const auto& agent : agents_) attend(*agent);
      }
    } catch (const Error&) {
      end_agents();
      throw;
    }
    end_agents();
    if (!driven_.gave_up) {
      driven_.why = driven_.signal != 0 ? "interrupted" : why_stop();
    }
    return driven_;
  }

 private:
  void start_agents() {
    const trial::DeviceChoice of_run = trial::parse_device(record_.status().run.device);
    for (std::size_t i = 0; i < options_.agents; ++i) {
      const trial::DeviceChoice& device =
          options_.devices.empty() ? of_run : options_.devices[i % options_.devices.size()];
      agents_.push_back(std::make_unique<AgentAtWork>(options_.process, i + 1, device));
    }
  }

  void end_agents() {
    for (const auto& agent : agents_) {
      agent->finish();
      try {
        leave_worktree(*agent);
      } catch (const Error& error) {
        workspace_.say(error.what());  // what is known of the drive counts for more
      }
    }
  }

  // Why no turn is to begin any more. What is under way counts as made.
  [[nodiscard]] std::string why_stop() {
    Status& status = record_.status();
    status.hours = hours_of(status);
    const auto busy = static_cast<int>(
        std::ranges::count_if(agents_, [](const auto& agent) { return agent->is_busy(); }));
    if (driven_.gave_up) return driven_.why;
    if (std::string why = budget_.why_stop(status, driven_.experiments); !why.empty()) return why;
    const std::optional<int>& most = options_.drive.budget.max_runs;
    if (most && driven_.experiments + busy >= *most) return "--max-runs was reached";
    const std::optional<int>& of_run = status.run.budget.max_runs;
    if (of_run && status.counts.experiments() + busy >= *of_run)
      return fmt::format("all {} experiments were made", *of_run);
    return {};
  }

  void give_orders() {
    for (const auto& agent : agents_) {
      if (agent->does() != AgentAtWork::Does::nothing) continue;
      if (!why_stop().empty()) return;
      const Status& status = record_.status();
      const std::size_t index = agent->number() - 1;
      const std::string base = strategy_->base_of(index, status);
      agent->order({.kind = AgentOrder::Kind::turn,
                    .base = base,
                    .remarks = std::exchange(agent->remarks, {}),
                    .guidance = strategy_->guidance_of(index, status)});
    }
  }

  void wait() {
    std::vector<pollfd> watched = {{interrupts_.descriptor(), POLLIN, 0}};
    for (const auto& agent : agents_) {
      watched.push_back({agent->messages(), POLLIN, 0});
      watched.push_back({agent->output(), POLLIN, 0});
    }
    ::poll(watched.data(), watched.size(), static_cast<int>(kInterval.count()));
    if (const auto signal = interrupts_.next()) take_signal(*signal);
    if (observer_.goes_on) {
      const auto count = [this](AgentAtWork::Does what) {
        return static_cast<std::size_t>(std::ranges::count_if(
            agents_, [what](const auto& agent) { return agent->does() == what; }));
      };
      observer_.goes_on(count(AgentAtWork::Does::edits), count(AgentAtWork::Does::measures),
                        Clock::now() - begun_);
    }
  }

  // The first ends the agents' turns, and lets what is measured be measured and recorded; the
  // second ends that, too.
  void take_signal(int signal) {
    const bool is_second = driven_.signal != 0;
    if (!is_second) {
      driven_.signal = signal;
      workspace_.say("stopping when what is being measured is recorded; a second signal aborts it");
    }
    for (const auto& agent : agents_)
      if (is_second || agent->does() == AgentAtWork::Does::edits) agent->stop(is_second);
  }

  void attend(AgentAtWork& agent) {
    agent.read();
    while (const auto report = agent.next_report()) {
      switch (report->kind) {
        case AgentReport::Kind::works:
        case AgentReport::Kind::measures:
          break;
        case AgentReport::Kind::edited:
          set_right();
          agent.order({.kind = AgentOrder::Kind::measure});
          break;
        case AgentReport::Kind::says:
          agent.remarks += (agent.remarks.empty() ? "" : " ") + report->reason;
          workspace_.say(fmt::format("agent {}: {}", agent.number(), report->reason));
          break;
        case AgentReport::Kind::in_vain:
          in_vain(agent, *report);
          break;
        case AgentReport::Kind::attempt:
          take_attempt(agent, *report);
          break;
        case AgentReport::Kind::failed:
          lose(agent, *report);
          break;
      }
    }
  }

  // One device that is lost stops its agents; the others go on.
  void lose(const AgentAtWork& agent, const AgentReport& report) {
    if (driven_.signal != 0) return;
    strategy_->lost(agent.number() - 1);
    const std::string why = fmt::format("agent {} stops: {}", agent.number(), report.reason);
    if (std::ranges::any_of(
            agents_, [](const auto& other) { return other->does() != AgentAtWork::Does::ended; })) {
      return workspace_.say(why);
    }
    throw Error(static_cast<Stop>(report.stop), why);
  }

  // An experiment that is measured: into the record, unless the best is another one by now.
  void take_attempt(AgentAtWork& agent, const AgentReport& report) {
    set_right();
    const Status& status = record_.status();
    ledger::Experiment experiment = report.experiment;
    if (const auto* earlier = earlier_with(status, experiment.source_digest)) {
      AgentReport same = report;
      same.outcome = "tried before";
      same.reason = fmt::format("another agent was first with the same source: experiment {}",
                                earlier->number);
      return in_vain(agent, same);
    }
    if (experiment.incumbent != status.best.commit) {
      if (driven_.signal == 0) return agent.order({.kind = AgentOrder::Kind::measure});
      AgentReport late = report;
      late.outcome = "interrupted";
      late.reason = "the best was beaten while this was measured; its edit is in " +
                    source_aside(experiment.commit, agent.number());
      return in_vain(agent, late);
    }
    agent.in_vain = 0;
    record(agent, std::move(experiment), report.result);
  }

  void record(const AgentAtWork& agent, ledger::Experiment experiment, const std::string& result) {
    Status& status = record_.status();
    const repo::Repository& repository = workspace_.repository();
    const ledger::RunStarted& run = status.run;
    experiment.number = status.experiments.back().number + 1;
    experiment.commit =
        repository.commit_again(experiment.commit, status.best.commit,
                                message_of(experiment.number, run.tag, experiment.description));
    experiment.webhook =
        measurer_.webhook(experiment.status == ledger::Status::keep ? Told::kept : Told::nothing);
    const Trying trying{.branch = run.branch, .editable = run.editable, .experiment = experiment};
    record_.apply(
        recording_of(experiment, trying, EditableSet(run), repository, workspace_.folders()));
    const std::optional<double> time_us = time_on_scale(status, experiment);
    ++driven_.experiments;
    strategy_->took(agent.number() - 1, experiment,
                    experiment.status == ledger::Status::crash ? std::nullopt : time_us);
    add_to(status, ledger::Experiment(experiment));
    if (!observer_.stepped) return;
    observer_.stepped(agent.number(),
                      Step{.experiment = std::move(experiment),
                           .result = std::get<trial::Result>(trial::decode_event(result)),
                           .run = status.run,
                           .time_us = time_us,
                           .next = status.next()});
  }

  // No agent has to do with the run's own worktree; what one has changed there goes aside. Another
  // one may be at it just then.
  void set_right() {
    constexpr int kMostTimes = 5;
    for (int time = 1;; ++time) {
      restore();
      try {
        return require_sound(workspace_, record_, measurer_);
      } catch (const Error&) {
        if (time == kMostTimes) throw;
      }
    }
  }

  void restore() {
    const Cleanup cleanup = clean_up_under_journal(workspace_, record_, std::nullopt);
    if (!cleanup.files.empty()) {
      std::string list;
      for (const std::string& file : cleanup.files) list += (list.empty() ? "" : ", ") + file;
      workspace_.say("the worktree of the run was changed, and restored; what was there: " + list);
    }
    static_cast<void>(record_.look());
  }

  void in_vain(AgentAtWork& agent, const AgentReport& report) {
    ++driven_.turns_in_vain;
    Status& status = record_.status();
    ++status.turns_in_vain;
    agent.remarks += (agent.remarks.empty() ? "" : " ") + report.reason + ".";
    const ledger::Turn entry{.at = now_utc(),
                             .tag = status.run.tag,
                             .outcome = report.outcome,
                             .reason = fmt::format("agent {}: {}", agent.number(), report.reason),
                             .aside = {},
                             .seconds = report.seconds};
    Recording recording =
        nothing_to_record(workspace_, record_, "recording a turn of an agent", {});
    add_entries(recording, workspace_.repository(), workspace_.folders(), status.run.tag, {entry});
    record_.apply(recording);
    if (observer_.in_vain) observer_.in_vain(agent.number(), entry);
    if (++agent.in_vain < kMostInVain || driven_.signal != 0) return;
    const std::string why =
        fmt::format("{} turns of agent {} in a row led to no experiment; the last one: {}",
                    agent.in_vain, agent.number(), report.reason);
    agent.retire();
    strategy_->lost(agent.number() - 1);
    if (std::ranges::any_of(
            agents_, [](const auto& other) { return other->does() != AgentAtWork::Does::ended; })) {
      return workspace_.say(fmt::format("agent {} stops: {}", agent.number(), why));
    }
    driven_.gave_up = true;
    driven_.agent_failed = report.outcome == "failed" || report.outcome == "timed out";
    driven_.why = why;
  }

  // The editable files of a commit that no reference names, where nothing overwrites them.
  [[nodiscard]] std::string source_aside(const std::string& commit, std::size_t agent) {
    const Folders& folders = workspace_.folders();
    const repo::Repository& repository = workspace_.repository();
    const std::filesystem::path folder = folders.new_aside(fmt::format("agent-{}", agent));
    for (const std::string& path : EditableSet(record_.status().run).at(repository, commit)) {
      folders.make_below((folder / path).parent_path());
      write_file_atomically(folder / path, repository.file_at(commit, path).value_or(""));
    }
    return folder.lexically_relative(folders.root()).string();
  }

  // What could not be measured stays for the next drive; everything else goes aside.
  void leave_worktree(const AgentAtWork& agent) {
    AgentWorktree worktree(workspace_, agent.number());
    if (is_unmeasured(worktree.unmeasured_file())) {
      workspace_.say(
          fmt::format("the edit of agent {} that could not be measured is in {}; the "
                      "next 'loop run --parallel' measures it",
                      agent.number(),
                      worktree.root().lexically_relative(workspace_.folders().root()).string()));
      return;
    }
    // Of one that ended in order after a turn, all there was to say has been said.
    if (!agent.had_turn() || !agent.is_at_rest())
      worktree.rescue(EditableSet(record_.status().run));
    worktree.remove();
  }

  const Workspace& workspace_;
  RunRecord& record_;
  Measurer& measurer_;
  const ParallelOptions& options_;
  const ParallelObserver& observer_;
  const Interrupts interrupts_;
  const DriveBudget budget_;
  const std::unique_ptr<ParallelStrategy> strategy_;
  const Clock::time_point begun_ = Clock::now();
  Driven driven_;
  std::vector<std::unique_ptr<AgentAtWork>> agents_;
};

}  // namespace

Driven Loop::drive_parallel(const ParallelOptions& options, const ParallelObserver& observer) {
  if (options.devices.empty()) require_known_device(record_->status().run);
  return ParallelDriver(*workspace_, *record_, *measurer_, options, observer).drive();
}

}  // namespace autokernel::loop
