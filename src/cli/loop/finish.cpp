// `autokernel loop finish`: the gain measured again, and a branch to merge.
#include <filesystem>
#include <optional>
#include <string>

#include "autokernel/ledger/ledger.h"
#include "autokernel/trial/judge.h"
#include "cli/commands.h"
#include "cli/folders.h"
#include "cli/loop/open_run.h"
#include "cli/loop/run_notifications.h"
#include "cli/loop/text.h"
#include "cli/loop/unfinished_drive.h"
#include "cli/notifications.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

class LoopFinish : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "finish"; }
  [[nodiscard]] std::string summary() const override {
    return "Measure the gain again, and make a branch to merge";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  RememberedOptions remembered_;
  TimeoutOption timeout_;
  HiddenSizesOption hidden_sizes_;
  int processes_ = 5;
  bool json_ = false;
  bool no_notify_ = false;
  bool verbose_ = false;
};

constexpr const char* kLoopFinishExamples = R"(Examples:
  autokernel loop finish
  autokernel loop finish --processes 9

Baseline, best and library are measured again, in turn, in fresh processes on new inputs, from what
is in git. The best of many measurements is partly luck: quote the gain measured here.)";

}  // namespace

void LoopFinish::declare(Options options) {
  options.footer(kLoopFinishExamples);
  remembered_.declare(options);
  add_processes(options, processes_);
  options.add_flag("--json", json_, "Print the result as a ledger entry (docs/ledger.md)");
  hidden_sizes_.declare(options);
  timeout_.declare(options);
  add_no_notify(options, no_notify_);
  options.add_flag("-v,--verbose", verbose_, "Report progress on standard error");
}

int LoopFinish::run(const Console& console) {
  trial::refuse_judges_of_this_user();
  RunNotifications notifications(console, no_notify_);
  Watching watching(console, verbose_ ? Diagnostics::Level::verbose : Diagnostics::Level::quiet,
                    timeout_.limits());
  auto loop = loop::Loop::open(std::filesystem::current_path(), "autokernel loop finish",
                               deciding_context(watching, notifications, hidden_sizes_, false));
  remembered_.require_same(loop.run());
  const loop::Finish finish = loop.finish(processes_);
  // A run that is finished is not gone on with after a reboot.
  if (const auto root = repository_of(std::filesystem::current_path()))
    remove_unfinished(*root / ".autokernel/drive.json");
  console.out << (json_ ? ledger::lines_of({finish.headline}) : finish_text(finish)) << std::flush;
  notifications.finished(finish);
  notifications.settle();
  return 0;
}

std::unique_ptr<Command> loop_finish_command() { return std::make_unique<LoopFinish>(); }

}  // namespace autokernel::cli
