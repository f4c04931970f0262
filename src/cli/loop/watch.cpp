// `autokernel loop watch`: one experiment each time the kernel is saved.
#include "autokernel/loop/watch.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/visible_text.h"
#include "cli/commands.h"
#include "cli/loop/open_run.h"
#include "cli/loop/run_notifications.h"
#include "cli/loop/text.h"
#include "cli/notifications.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

class LoopWatch : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "watch"; }
  [[nodiscard]] std::string summary() const override {
    return "Try the kernel each time it is saved";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  RememberedOptions remembered_;
  TimeoutOption timeout_;
  HiddenSizesOption hidden_sizes_;
  loop::WatchOptions options_;
  bool no_resident_ = false;
  bool no_notify_ = false;
  bool verbose_ = false;
};

constexpr const char* kLoopWatchExamples = R"text(Examples:
  autokernel loop watch
  autokernel loop watch -m "tile sizes" --simpler

Tries the kernel's files as 'autokernel loop step' does, each time they are saved; an edit that is
there already is tried at once. Prints a line for each, with the reason where it is not kept, and
waits again. A version that is not faster is reverted: let your editor reload the file. What was
tried is in 'autokernel log', and 'autokernel restore N' brings it back. What is saved during a
step is put aside, not tried: the line says where. Files that your editor leaves beside the kernel
(*~, .*.swp) are to be ignored by git before the run starts. Ctrl-C stops after the current step.
Exit code: 20 the budget of the run is used up.)text";

}  // namespace

void LoopWatch::declare(Options options) {
  options.footer(kLoopWatchExamples);
  options
      .add_option("-m,--message", options_.idea,
                  "The idea of every experiment, in a sentence (default: when it was saved)")
      .type_name("TEXT");
  remembered_.declare(options);
  options.add_flag("--simpler", options_.simpler,
                   "Also keep a kernel that is as fast with at least a tenth less code");
  hidden_sizes_.declare(options);
  timeout_.declare(options);
  add_no_resident(options, no_resident_);
  add_no_notify(options, no_notify_);
  options.add_flag("-v,--verbose", verbose_, "Report progress on standard error");
}

int LoopWatch::run(const Console& console) {
  RunNotifications notifications(console, no_notify_);
  Watching watching(console, verbose_ ? Diagnostics::Level::verbose : Diagnostics::Level::quiet,
                    timeout_.limits());
  auto loop =
      loop::Loop::open(std::filesystem::current_path(), "autokernel loop watch",
                       deciding_context(watching, notifications, hidden_sizes_, !no_resident_));
  remembered_.require_same(loop.run());
  const loop::WatchObserver observer = {
      .stepped =
          [&](const loop::Step& step) {
            console.out << experiment_line(step.experiment, step.time_us);
            if (step.experiment.status != ledger::Status::keep) {
              console.out << "      " << visible_line(step.experiment.reason) << '\n';
            }
            console.out << std::flush;
            notifications.stepped(step, loop.status());
          },
      .refused =
          [&](const std::string& why) {
            console.err << "autokernel: no experiment, waiting for the next save: "
                        << visible_line(why) << '\n';
          },
      .waits = [&](auto elapsed) { watching.show("waiting for an edit", elapsed); }};
  console.err << fmt::format("autokernel: watching {} of run {}; Ctrl-C stops\n",
                             visible_line(loop.run().editable), visible_line(loop.run().tag));
  const loop::Watched watched = loop.watch(options_, observer);
  console.err << fmt::format("autokernel: stopped after {} experiment{}: {}\n", watched.experiments,
                             watched.experiments == 1 ? "" : "s", watched.why);
  if (watched.signal != 0) throw Interrupted(watched.signal);
  return static_cast<int>(Stop::budget);
}

std::unique_ptr<Command> loop_watch_command() { return std::make_unique<LoopWatch>(); }

}  // namespace autokernel::cli
