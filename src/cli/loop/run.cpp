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
#include "cli/folders.h"
#include "cli/key_lines.h"
#include "cli/loop/open_run.h"
#include "cli/loop/plan_run.h"
#include "cli/loop/run_notifications.h"
#include "cli/loop/text.h"
#include "cli/loop/tried_again.h"
#include "cli/loop/unfinished_drive.h"
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
  // Throws Error(usage) where options exclude each other.
  void require_sense() const;
  // How the process of one of several agents is started.
  [[nodiscard]] std::vector<std::string> agent_process() const;
  [[nodiscard]] loop::Driven drive_parallel(loop::Loop& loop, const loop::DriveOptions& drive,
                                            Watching& watching, RunNotifications& notifications,
                                            const Console& console) const;

  RememberedOptions remembered_;
  DriveRequest asked_;
  bool resume_ = false;
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

// Where the loop has what git does not look at.
[[nodiscard]] std::filesystem::path own_folder_of_loop() {
  const std::filesystem::path here = std::filesystem::current_path();
  return repository_of(here).value_or(here) / ".autokernel";
}

void tell_in_vain(const ledger::Turn& turn, const Console& console) {
  console.err << "autokernel: no experiment this turn: " << visible_line(turn.outcome) << ": "
              << visible_line(turn.reason) << '\n';
}

[[nodiscard]] std::string counted(std::integral auto count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

void LoopRun::declare(Options options) {
  options.footer(kLoopRunExamples);
  options.add_option("--agent", asked_.drive.agent, "Command line that starts the agent; required")
      .type_name("CMD");
  remembered_.declare(options);
  ledger::Budget& budget = asked_.drive.budget;
  add_budget(options, budget.max_runs, budget.hours, budget.no_progress);
  options
      .add_option("--agent-timeout", asked_.drive.agent_seconds,
                  "Deadline for one turn of the agent")
      .type_name("SECONDS")
      .positive()
      .tells_default();
  options.add_flag("--simpler", asked_.drive.simpler,
                   "Also keep a kernel that is as fast with at least a tenth less code");
  asked_.parallel.declare(options);
  options
      .add_option("--park", asked_.parking.most_hours,
                  "Where the device, the disk or the agent fails, wait for up to HOURS and try "
                  "again [stop at once]")
      .type_name("HOURS")
      .positive();
  options
      .add_option("--park-retry", asked_.parking.first_seconds,
                  "With --park: seconds to the first try; later ones are up to 15 minutes apart")
      .type_name("SECONDS")
      .positive()
      .tells_default();
  options.add_flag("--resume", resume_,
                   "Go on with what a reboot or a kill has cut off, if anything; for a line of "
                   "crontab");
  options.add_flag("--plan", plan_,
                   "Go from kernel to kernel of a program, by 'autokernel plan'; each gets a run");
  options.add_option("--profile", profile_, "With --plan: the profile [autokernel-profile.json]")
      .type_name("FILE");
  options.add_option("--cases", cases_, "With --plan: where the cases are [cases]")
      .type_name("DIR");
  asked_.hidden_sizes.declare(options);
  asked_.timeout.declare(options);
  add_no_resident(options, no_resident_);
  add_no_notify(options, no_notify_);
  options.add_flag("-v,--verbose", verbose_, "Report progress on standard error");
}

std::vector<std::string> LoopRun::agent_process() const {
  std::vector<std::string> arguments = {"agent-process", "--agent", asked_.drive.agent,
                                        "--agent-timeout",
                                        fmt::format("{}", asked_.drive.agent_seconds)};
  if (!asked_.hidden_sizes.file.empty())
    arguments.insert(arguments.end(), {"--hidden-sizes", asked_.hidden_sizes.file});
  if (asked_.timeout.seconds)
    arguments.insert(arguments.end(), {"--timeout", fmt::format("{}", *asked_.timeout.seconds)});
  if (asked_.drive.simpler) arguments.emplace_back("--simpler");
  if (no_resident_) arguments.emplace_back("--no-resident");
  return arguments;
}

loop::Driven LoopRun::drive_parallel(loop::Loop& loop, const loop::DriveOptions& drive,
                                     Watching& watching, RunNotifications& notifications,
                                     const Console& console) const {
  return loop.drive_parallel(
      asked_.parallel.options(drive, agent_process()),
      {.stepped =
           [&](std::size_t /*agent*/, const loop::Step& step) {
             console.out << experiment_line(step.experiment, step.time_us) << std::flush;
             notifications.stepped(step, loop.status());
           },
       .in_vain = [&](std::size_t /*agent*/,
                      const ledger::Turn& turn) { tell_in_vain(turn, console); },
       .goes_on =
           [&](std::size_t editing, std::size_t measured, auto elapsed) {
             watching.show(fmt::format("{} at work, {} measured", counted(editing, "agent"),
                                       counted(measured, "edit")),
                           elapsed);
           }});
}

void LoopRun::require_sense() const {
  if (asked_.drive.agent.empty())
    throw Error(Stop::usage, "--agent is required: the agent's command line");
  if (asked_.parking.most_hours <= 0 &&
      asked_.parking.first_seconds != ParkingOptions{}.first_seconds)
    throw Error(Stop::usage, "--park-retry needs --park HOURS");
  if (plan_ && asked_.parallel.is_made()) {
    throw Error(Stop::usage,
                "--plan goes from kernel to kernel with one agent: leave out --parallel "
                "and --devices");
  }
  if (plan_ && (resume_ || asked_.parking.most_hours > 0))
    throw Error(Stop::usage, "--plan does not wait, nor resume: leave out --park and --resume");
}

int LoopRun::run(const Console& console) {
  const std::filesystem::path own = own_folder_of_loop();
  std::optional<UnfinishedDrive> unfinished;
  if (resume_) {
    if (!asked_.drive.agent.empty())
      throw Error(Stop::usage, "--resume goes on with the agent that there was: leave out --agent");
    unfinished = read_unfinished(own / "drive.json");
    if (!unfinished) {
      console.err << "autokernel: there is nothing to resume\n";
      return 0;
    }
    asked_ = unfinished->asked;
  }
  require_sense();
  RunNotifications notifications(console, no_notify_);
  Watching watching(console, verbose_ ? Diagnostics::Level::verbose : Diagnostics::Level::quiet,
                    asked_.timeout.limits());
  const auto context = [&] {
    return deciding_context(watching, notifications, asked_.hidden_sizes, !no_resident_);
  };
  const loop::Loop* driving = nullptr;
  const loop::DriveObserver observer = {
      .stepped =
          [&](const loop::Step& step) {
            console.out << experiment_line(step.experiment, step.time_us) << std::flush;
            if (driving != nullptr) notifications.stepped(step, driving->status());
          },
      .in_vain = [&](const ledger::Turn& turn) { tell_in_vain(turn, console); },
      .agent_works = [&](auto elapsed) { watching.show("the agent is working", elapsed); }};
  if (plan_) {
    return run_plan({.profile = profile_,
                     .cases = cases_,
                     .device = remembered_.place.choice(),
                     .context = context,
                     .drive = asked_.drive,
                     .observer = observer},
                    console);
  }
  TriedAgain drive({.open =
                        [&] {
                          auto loop = loop::Loop::open(std::filesystem::current_path(),
                                                       "autokernel loop run", context());
                          remembered_.require_same(loop.run());
                          return loop;
                        },
                    .drive =
                        [&](loop::Loop& loop, const loop::DriveOptions& options) {
                          driving = &loop;
                          return asked_.parallel.is_made() ? drive_parallel(loop, options, watching,
                                                                            notifications, console)
                                                           : loop.drive(options, observer);
                        },
                    .failed = [&](const loop::Status& status,
                                  const std::string& line) { notifications.failed(status, line); }},
                   asked_, std::move(unfinished), own, console);
  const loop::Driven driven = [&] {
    try {
      return drive.run();
    } catch (const Error&) {
      notifications.settle();
      throw;
    }
  }();
  notifications.settle(driven.signal != 0);
  console.out << "---\n" << status_text(drive.status());
  console.out << std::flush;
  console.err << drive.pauses();
  console.err << fmt::format(
      "autokernel: stopped after {}{}: {}\n", counted(drive.experiments(), "experiment"),
      driven.turns_in_vain == 0 ? ""
                                : " and " + counted(driven.turns_in_vain, "turn") + " without one",
      driven.why);
  if (driven.signal != 0) throw Interrupted(driven.signal);
  return static_cast<int>(Stop::budget);
}

std::unique_ptr<Command> loop_run_command() { return std::make_unique<LoopRun>(); }

}  // namespace autokernel::cli
