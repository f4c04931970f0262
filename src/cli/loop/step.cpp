// `autokernel loop step`: one experiment with the kernel as it is.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/ledger/ledger.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/loop/open_run.h"
#include "cli/loop/run_notifications.h"
#include "cli/loop/text.h"
#include "cli/notifications.h"
#include "cli/report.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

class LoopStep : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "step"; }
  [[nodiscard]] std::string summary() const override {
    return "Try the kernel as it is now, and keep or revert it";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  RememberedOptions remembered_;
  TimeoutOption timeout_;
  HiddenSizesOption hidden_sizes_;
  loop::StepOptions options_;
  bool json_ = false;
  bool timings_ = false;
  bool no_resident_ = false;
  bool no_notify_ = false;
  bool verbose_ = false;
};

constexpr const char* kLoopStepExamples = R"(Examples:
  autokernel loop step -m "64 x 64 tiles in shared memory"
  autokernel loop step -m "drop the unrolled tail" --simpler

The kernel is compiled, checked and timed against the incumbent, in pairs of launches. If it is
faster, its commit is kept; if not, its files are restored, and 'autokernel show N' still has the
edit.
With exit code 2 (also: nothing new to try), 3, 4, 15 or 20, nothing was done.
)";

}  // namespace

void LoopStep::declare(Options options) {
  options.footer(kLoopStepExamples + exit_codes_text());
  options.add_option("-m,--message", options_.idea, "The idea, in a sentence")
      .type_name("TEXT")
      .required();
  remembered_.declare(options);
  options.add_flag("--again", options_.again, "Try it even if this source was tried before");
  options.add_flag("--simpler", options_.simpler,
                   "Also keep a kernel that is as fast with at least a tenth less code");
  options
      .add_option("--longer", options_.longer,
                  "Of a case of commands: take up to N times its budget for the comparison [1]")
      .type_name("N");
  options.add_flag("--over-budget", options_.over_budget,
                   "Try it even if the run's budget is used up");
  options.add_flag("--json", json_, "Print the experiment as a ledger entry (docs/ledger.md)");
  hidden_sizes_.declare(options);
  timeout_.declare(options);
  add_timings(options, timings_);
  add_no_resident(options, no_resident_);
  add_no_notify(options, no_notify_);
  options.add_flag("-v,--verbose", verbose_, "Report progress on standard error");
}

int LoopStep::run(const Console& console) {
  RunNotifications notifications(console, no_notify_);
  constexpr double kLongest = 1000;
  if (!(options_.longer >= 1 && options_.longer <= kLongest))
    throw Error(Stop::usage, "--longer takes 1 to 1000");
  Watching watching(console, verbose_ ? Diagnostics::Level::verbose : Diagnostics::Level::quiet,
                    timeout_.limits());
  auto loop =
      loop::Loop::open(std::filesystem::current_path(), "autokernel loop step",
                       deciding_context(watching, notifications, hidden_sizes_, !no_resident_));
  options_.accept = [this](const ledger::RunStarted& run) { remembered_.require_same(run); };
  const loop::Step step = [&] {
    try {
      return loop.step(options_);
    } catch (const loop::TriedBefore& error) {
      throw Error(error.stop(), fmt::format("{}; --again tries it once more", error.what()));
    }
  }();
  console.out << (json_ ? ledger::lines_of({step.experiment}) : step_text(step));
  if (timings_ && !json_) console.out << timings_block(step.timings);
  console.out << std::flush;
  notifications.stepped(step, loop.status());
  loop.anticipate();
  return step_exit_code(step.experiment);
}

std::unique_ptr<Command> loop_step_command() { return std::make_unique<LoopStep>(); }

}  // namespace autokernel::cli
