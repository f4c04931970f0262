// `autokernel verify-run`: whether what a run claims holds.
#include <filesystem>
#include <string>

#include "autokernel/loop/verification.h"
#include "autokernel/trial/judge.h"
#include "cli/commands.h"
#include "cli/loop/open_run.h"
#include "cli/place_options.h"
#include "cli/shared_options.h"
#include "cli/verification_text.h"

namespace autokernel::cli {
namespace {

class VerifyRun : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "verify-run"; }
  [[nodiscard]] std::string summary() const override {
    return "Check the record of a run, and measure its gain again";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::string tag_;  // empty: the run of this branch
  int processes_ = 5;
  bool json_ = false;
  bool verbose_ = false;
  bool allow_ = false;
  PlaceOptions device_;
  TimeoutOption timeout_;
};

constexpr const char* kVerifyRunExamples = R"(Examples:
  autokernel verify-run
  autokernel verify-run tiles --processes 9
  autokernel verify-run --json | jq .verdict

The whole ledger is compared with its seal, results.tsv, and the references and branch in git.
Then baseline, best and library are measured again in fresh processes on new inputs, from what is
in git: the kernels from their commits, the case as it was at the start of the run. Nothing is
written.
Exit codes: 0 the claim holds, 10 the best is not faster or not by as much, 11 to 14 and 17 the
best fails, 15 the record was altered (how is printed, and the gain is measured anyway),
16 inconclusive; 4 no such run.)";

// The same, where Python that the record names runs only if the user allows it.
[[nodiscard]] loop::LoopContext allowing(loop::LoopContext context, bool allowed) {
  context.plan = [plan = std::move(context.plan), allowed](trial::Request& request) {
    if (plan) plan(request);
    request.python_allowed = allowed;
  };
  return context;
}

}  // namespace

void VerifyRun::declare(Options options) {
  options.footer(kVerifyRunExamples);
  options.add_option("TAG", tag_, "Name of the run (default: the one on this branch)");
  add_processes(options, processes_);
  device_.declare(options, " (default: the run's)");
  options.add_flag("--allow", allow_, kAllowHelp);
  options.add_flag("--json", json_, "Print one JSON object instead of lines (docs/loop-json.md)");
  timeout_.declare(options);
  options.add_flag("-v,--verbose", verbose_, "Report progress on standard error");
}

int VerifyRun::run(const Console& console) {
  trial::refuse_judges_of_this_user();
  Watching watching(console, verbose_ ? Diagnostics::Level::verbose : Diagnostics::Level::quiet,
                    timeout_.limits());
  auto loop = loop::Loop::open_to_verify(std::filesystem::current_path(), "autokernel verify-run",
                                         allowing(watching.context(), allow_));
  const loop::Verification verification = loop.verify(
      tag_, processes_, allow_ ? loop::Loop::Python::allowed : loop::Loop::Python::refused,
      device_.are_given() ? std::optional(device_.choice()) : std::nullopt);
  console.out << (json_ ? verification_json(verification) : verification_text(verification));
  return exit_code(verification);
}

std::unique_ptr<Command> verify_run_command() { return std::make_unique<VerifyRun>(); }

}  // namespace autokernel::cli
