// `autokernel loop run`: an external coding agent driven through one experiment after the other.
#include <fmt/format.h>

#include <concepts>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/loop/drive.h"
#include "cli/commands.h"
#include "cli/key_lines.h"
#include "cli/loop/open_run.h"
#include "cli/loop/parallel_options.h"
#include "cli/loop/plan_run.h"
#include "cli/loop/run_notifications.h"
#include "cli/loop/text.h"
#include "cli/notifications.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

class LoopRun : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "run"; }
  [[nodiscard]] std::string summary() const override {
    return "Start a coding agent once per experiment, and try its edits";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  // How the process of one of several agents is started.
  [[nodiscard]] std::vector<std::string> agent_process() const;
  [[nodiscard]] loop::Driven drive_parallel(loop::Loop& loop, const loop::DriveOptions& drive,
                                            Watching& watching, RunNotifications& notifications,
                                            const Console& console) const;

  RememberedOptions remembered_;
  TimeoutOption timeout_;
  HiddenSizesOption hidden_sizes_;
  std::string agent_;
  std::optional<int> max_runs_;
  std::optional<double> hours_;
  std::optional<int> no_progress_;
  double agent_seconds_ = 1800;
  bool simpler_ = false;
  ParallelChoice parallel_;
  bool plan_ = false;
  std::string profile_ = "autokernel-profile.json";
  std::string cases_ = "cases";
  bool no_resident_ = false;
  bool no_notify_ = false;
  bool verbose_ = false;
};

constexpr const char* kLoopRunExamples = R"text(Examples:
  autokernel loop run --agent 'claude -p --permission-mode acceptEdits' --max-runs 50
  autokernel loop run --agent 'codex exec --full-auto -' --hours 8 --no-progress 15
  autokernel loop run --agent 'cursor-agent -p --force "$(cat "$AUTOKERNEL_BRIEF")"'
  autokernel loop run --plan --agent 'claude -p' --hours 12
  autokernel loop run --agent 'claude -p' --devices cuda:0,cuda:1 --strategy islands

The agent is started once for each experiment, at the root of the repository, with a brief on its
standard input and in the file $AUTOKERNEL_BRIEF; it edits $AUTOKERNEL_KERNEL and ends. Ctrl-C
stops after the current step. Exit codes: 20 a budget is used up, 3 the agent fails.)text";

[[nodiscard]] std::string counted(std::integral auto count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

void LoopRun::declare(Options options) {
  options.footer(kLoopRunExamples);
  options.add_option("--agent", agent_, "Command line that starts the agent")
      .type_name("CMD")
      .required();
  remembered_.declare(options);
  add_budget(options, max_runs_, hours_, no_progress_);
  options.add_option("--agent-timeout", agent_seconds_, "Deadline for one turn of the agent")
      .type_name("SECONDS")
      .positive()
      .tells_default();
  options.add_flag("--simpler", simpler_,
                   "Also keep a kernel that is as fast with at least a tenth less code");
  parallel_.declare(options);
  options.add_flag("--plan", plan_,
                   "Go from kernel to kernel of a program, by 'autokernel plan'; each gets a run");
  options.add_option("--profile", profile_, "With --plan: the profile [autokernel-profile.json]")
      .type_name("FILE");
  options.add_option("--cases", cases_, "With --plan: where the cases are [cases]")
      .type_name("DIR");
  hidden_sizes_.declare(options);
  timeout_.declare(options);
  add_no_resident(options, no_resident_);
  add_no_notify(options, no_notify_);
  options.add_flag("-v,--verbose", verbose_, "Report progress on standard error");
}

std::vector<std::string> LoopRun::agent_process() const {
  std::vector<std::string> arguments = {"agent-process", "--agent", agent_, "--agent-timeout",
                                        fmt::format("{}", agent_seconds_)};
  if (!hidden_sizes_.file.empty())
    arguments.insert(arguments.end(), {"--hidden-sizes", hidden_sizes_.file});
  if (timeout_.seconds)
    arguments.insert(arguments.end(), {"--timeout", fmt::format("{}", *timeout_.seconds)});
  if (simpler_) arguments.emplace_back("--simpler");
  if (no_resident_) arguments.emplace_back("--no-resident");
  return arguments;
}

loop::Driven LoopRun::drive_parallel(loop::Loop& loop, const loop::DriveOptions& drive,
                                     Watching& watching, RunNotifications& notifications,
                                     const Console& console) const {
  return loop.drive_parallel(
      parallel_.options(drive, agent_process()),
      {.stepped =
           [&](std::size_t /*agent*/, const loop::Step& step) {
             console.out << experiment_line(step.experiment, step.time_us) << std::flush;
             notifications.stepped(step, loop.status());
           },
       .in_vain =
           [&](std::size_t /*agent*/, const ledger::Turn& turn) {
             console.err << "autokernel: no experiment this turn: " << visible_line(turn.outcome)
                         << ": " << visible_line(turn.reason) << '\n';
           },
       .goes_on =
           [&](std::size_t editing, std::size_t measured, auto elapsed) {
             watching.show(fmt::format("{} at work, {} measured", counted(editing, "agent"),
                                       counted(measured, "edit")),
                           elapsed);
           }});
}

int LoopRun::run(const Console& console) {
  RunNotifications notifications(console, no_notify_);
  Watching watching(console, verbose_ ? Diagnostics::Level::verbose : Diagnostics::Level::quiet,
                    timeout_.limits());
  const auto context = [&] {
    return deciding_context(watching, notifications, hidden_sizes_, !no_resident_);
  };
  std::optional<loop::Loop> loop;
  const loop::DriveObserver observer = {
      .stepped =
          [&](const loop::Step& step) {
            console.out << experiment_line(step.experiment, step.time_us) << std::flush;
            if (loop) notifications.stepped(step, loop->status());
          },
      .in_vain =
          [&](const ledger::Turn& turn) {
            console.err << "autokernel: no experiment this turn: " << visible_line(turn.outcome)
                        << ": " << visible_line(turn.reason) << '\n';
          },
      .agent_works = [&](auto elapsed) { watching.show("the agent is working", elapsed); }};
  const loop::DriveOptions drive = {
      .agent = agent_,
      .budget = {.max_runs = max_runs_, .hours = hours_, .no_progress = no_progress_},
      .agent_seconds = agent_seconds_,
      .simpler = simpler_};
  if (plan_ && parallel_.is_made()) {
    throw Error(Stop::usage,
                "--plan goes from kernel to kernel with one agent: leave out --parallel "
                "and --devices");
  }
  if (plan_) {
    return run_plan({.profile = profile_,
                     .cases = cases_,
                     .device = remembered_.place.choice(),
                     .context = context,
                     .drive = drive,
                     .observer = observer},
                    console);
  }
  loop = loop::Loop::open(std::filesystem::current_path(), "autokernel loop run", context());
  remembered_.require_same(loop->run());
  const loop::Driven driven = [&] {
    try {
      return parallel_.is_made() ? drive_parallel(*loop, drive, watching, notifications, console)
                                 : loop->drive(drive, observer);
    } catch (const Error& error) {
      notifications.failed(loop->status(), error.what());
      notifications.settle();
      throw;
    }
  }();
  if (driven.gave_up) notifications.failed(loop->status(), driven.why);
  notifications.settle(driven.signal != 0);
  if (driven.gave_up) throw Error(Stop::environment, driven.why);
  console.out << "---\n" << status_text(loop->status());
  console.out << std::flush;
  console.err << fmt::format(
      "autokernel: stopped after {}{}: {}\n", counted(driven.experiments, "experiment"),
      driven.turns_in_vain == 0 ? ""
                                : " and " + counted(driven.turns_in_vain, "turn") + " without one",
      driven.why);
  if (driven.signal != 0) throw Interrupted(driven.signal);
  return static_cast<int>(Stop::budget);
}

std::unique_ptr<Command> loop_run_command() { return std::make_unique<LoopRun>(); }

}  // namespace autokernel::cli
