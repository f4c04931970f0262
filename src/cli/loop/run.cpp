// `autokernel loop run`: an external coding agent driven through one experiment after the other.
#include <fmt/format.h>

#include <chrono>
#include <concepts>
#include <csignal>
#include <filesystem>
#include <functional>
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
#include "cli/loop/parallel_options.h"
#include "cli/loop/parking.h"
#include "cli/loop/plan_run.h"
#include "cli/loop/run_notifications.h"
#include "cli/loop/text.h"
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
  // How the process of one of several agents is started.
  [[nodiscard]] std::vector<std::string> agent_process() const;
  // Takes what was cut off in place of options. False where there is none.
  [[nodiscard]] bool take_up(const std::optional<UnfinishedDrive>& cut);
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
  ParkingOptions parking_;
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

[[nodiscard]] double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Where the loop has what git does not look at.
[[nodiscard]] std::filesystem::path own_folder_of_loop() {
  const std::filesystem::path here = std::filesystem::current_path();
  return repository_of(here).value_or(here) / ".autokernel";
}

// In the record, as far as that can be written.
void record_pause(std::optional<loop::Loop>& loop, const Parking& parking, const Console& console) {
  if (!loop) return;
  const Parking::Pause& pause = parking.pauses().back();
  try {
    loop->record_pause(pause.why, pause.seconds);
  } catch (const Error& error) {
    // The pause is also told at the end.
    console.err << "autokernel: a pause is not in the record: " << visible_line(error.what())
                << '\n';
  }
}

// A machine that goes down ends its programs so; a person who stops one does it by Ctrl-C.
[[nodiscard]] bool is_of_a_shutdown(int signal) { return signal == SIGTERM || signal == SIGHUP; }

[[nodiscard]] bool waited(Parking& parking, const Trouble& trouble, const Interrupts& interrupts,
                          const std::function<void(const std::string&)>& told,
                          const std::filesystem::path& unfinished_file) {
  try {
    return parking.wait(trouble, interrupts, told);
  } catch (const Interrupted& interrupted) {
    if (!is_of_a_shutdown(interrupted.signal())) remove_unfinished(unfinished_file);
    throw;
  }
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
  options.add_option("--agent", agent_, "Command line that starts the agent; required")
      .type_name("CMD");
  remembered_.declare(options);
  add_budget(options, max_runs_, hours_, no_progress_);
  options.add_option("--agent-timeout", agent_seconds_, "Deadline for one turn of the agent")
      .type_name("SECONDS")
      .positive()
      .tells_default();
  options.add_flag("--simpler", simpler_,
                   "Also keep a kernel that is as fast with at least a tenth less code");
  parallel_.declare(options);
  options
      .add_option("--park", parking_.most_hours,
                  "Where the device, the disk or the agent fails, wait for up to HOURS and try "
                  "again [stop at once]")
      .type_name("HOURS")
      .positive();
  options
      .add_option("--park-retry", parking_.first_seconds,
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
       .in_vain = [&](std::size_t /*agent*/,
                      const ledger::Turn& turn) { tell_in_vain(turn, console); },
       .goes_on =
           [&](std::size_t editing, std::size_t measured, auto elapsed) {
             watching.show(fmt::format("{} at work, {} measured", counted(editing, "agent"),
                                       counted(measured, "edit")),
                           elapsed);
           }});
}

bool LoopRun::take_up(const std::optional<UnfinishedDrive>& cut) {
  if (!cut) return false;
  agent_ = cut->drive.agent;
  agent_seconds_ = cut->drive.agent_seconds;
  simpler_ = cut->drive.simpler;
  max_runs_ = cut->drive.budget.max_runs;
  hours_ = cut->drive.budget.hours;
  no_progress_ = cut->drive.budget.no_progress;
  parallel_.agents = cut->agents;
  parallel_.devices = cut->devices;
  parallel_.strategy = cut->strategy;
  hidden_sizes_.file = cut->hidden_sizes;
  timeout_.seconds = cut->timeout;
  parking_ = {.most_hours = cut->park_hours, .first_seconds = cut->park_retry_seconds};
  return true;
}

int LoopRun::run(const Console& console) {
  const std::filesystem::path own = own_folder_of_loop();
  const std::filesystem::path unfinished_file = own / "drive.json";
  std::optional<UnfinishedDrive> unfinished;
  if (resume_) {
    if (!agent_.empty())
      throw Error(Stop::usage, "--resume goes on with the agent that there was: leave out --agent");
    unfinished = read_unfinished(unfinished_file);
    if (!take_up(unfinished)) {
      console.err << "autokernel: there is nothing to resume\n";
      return 0;
    }
  }
  if (agent_.empty()) throw Error(Stop::usage, "--agent is required: the agent's command line");
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
      .in_vain = [&](const ledger::Turn& turn) { tell_in_vain(turn, console); },
      .agent_works = [&](auto elapsed) { watching.show("the agent is working", elapsed); }};
  loop::DriveOptions drive = {
      .agent = agent_,
      .budget = {.max_runs = max_runs_, .hours = hours_, .no_progress = no_progress_},
      .agent_seconds = agent_seconds_,
      .simpler = simpler_};
  if (plan_ && parallel_.is_made()) {
    throw Error(Stop::usage,
                "--plan goes from kernel to kernel with one agent: leave out --parallel "
                "and --devices");
  }
  if (plan_ && (resume_ || parking_.most_hours > 0))
    throw Error(Stop::usage, "--plan does not wait, nor resume: leave out --park and --resume");
  if (plan_) {
    return run_plan({.profile = profile_,
                     .cases = cases_,
                     .device = remembered_.place.choice(),
                     .context = context,
                     .drive = drive,
                     .observer = observer},
                    console);
  }
  const auto open = [&] {
    loop = loop::Loop::open(std::filesystem::current_path(), "autokernel loop run", context());
    remembered_.require_same(loop->run());
  };
  const auto experiments = [&] { return loop->status().counts.experiments(); };
  open();
  if (unfinished && unfinished->tag != loop->run().tag) {
    throw Error(Stop::usage, fmt::format("cannot resume: run {} was cut off, and this branch has "
                                         "run {}; switch to the branch of the first",
                                         unfinished->tag, loop->run().tag));
  }
  if (!unfinished) {
    unfinished = {.tag = loop->run().tag,
                  .drive = drive,
                  .agents = parallel_.agents,
                  .devices = parallel_.devices,
                  .strategy = parallel_.strategy,
                  .hidden_sizes = hidden_sizes_.file,
                  .timeout = timeout_.seconds,
                  .park_hours = parking_.most_hours,
                  .park_retry_seconds = parking_.first_seconds,
                  .begun = seconds_since_1970(),
                  .experiments = experiments()};
    write_unfinished(unfinished_file, *unfinished);
  }
  Parking parking(parking_, own / "parked");
  const Interrupts interrupts;
  const int before = experiments();
  int seen = before;
  loop::Driven driven;
  while (true) {
    std::string failure;
    Stop stop = Stop::environment;
    driven = {};
    try {
      if (!loop) open();
      if (experiments() != seen) parking.went_on();
      seen = experiments();
      if (resume_ || !parking.pauses().empty())
        drive.budget = rest_of(*unfinished, seconds_since_1970(), seen);
      driven = parallel_.is_made() ? drive_parallel(*loop, drive, watching, notifications, console)
                                   : loop->drive(drive, observer);
      if (driven.gave_up) failure = driven.why;
    } catch (const Error& error) {
      failure = error.what();
      stop = error.stop();
    }
    if (loop && experiments() != seen) parking.went_on();
    if (failure.empty()) break;
    const auto told = [&](const std::string& line) {
      console.err << "autokernel: " << line << '\n' << std::flush;
      if (loop) notifications.failed(loop->status(), line);
    };
    // What is no failure of the machine or of the agent will not go away.
    const bool may_pass = stop == Stop::environment && (!driven.gave_up || driven.agent_failed);
    const Trouble trouble = trouble_of(failure, driven.gave_up);
    if (!may_pass || !waited(parking, trouble, interrupts, told, unfinished_file)) {
      remove_unfinished(unfinished_file);
      if (loop) notifications.failed(loop->status(), failure);
      notifications.settle();
      console.err << parking.report();
      throw Error(stop, failure);
    }
    record_pause(loop, parking, console);
    // What is held in memory may not be what is on the disk any more.
    loop.reset();
  }
  if (!is_of_a_shutdown(driven.signal)) remove_unfinished(unfinished_file);
  notifications.settle(driven.signal != 0);
  console.out << "---\n" << status_text(loop->status());
  console.out << std::flush;
  console.err << parking.report();
  console.err << fmt::format(
      "autokernel: stopped after {}{}: {}\n", counted(experiments() - before, "experiment"),
      driven.turns_in_vain == 0 ? ""
                                : " and " + counted(driven.turns_in_vain, "turn") + " without one",
      driven.why);
  if (driven.signal != 0) throw Interrupted(driven.signal);
  return static_cast<int>(Stop::budget);
}

std::unique_ptr<Command> loop_run_command() { return std::make_unique<LoopRun>(); }

}  // namespace autokernel::cli
