// `autokernel loop ablate`: whether what was kept still pays.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/number.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/ledger/ledger.h"
#include "cli/commands.h"
#include "cli/loop/open_run.h"
#include "cli/loop/text.h"

namespace autokernel::cli {
namespace {

class LoopAblate : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "ablate"; }
  [[nodiscard]] std::string summary() const override {
    return "Take each kept change out in turn: does it still pay?";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  RememberedOptions remembered_;
  TimeoutOption timeout_;
  std::vector<std::string> numbers_;  // empty: of all that were kept
  std::optional<int> take_out_;
  bool json_ = false;
  bool verbose_ = false;
};

constexpr const char* kLoopAblateExamples = R"(Examples:
  autokernel loop ablate
  autokernel loop ablate 3
  autokernel loop ablate --take-out 3 && autokernel loop step --simpler -m "without experiment 3"

After a deeper change, an earlier one may be of no use any more. Each kept change is reverted in
the best by itself, and the best is held against the rest, as in a step. Nothing is kept or taken
back; --take-out leaves the rest as an edit, for a step.
Verdicts: pays; does not pay; not clear; needed (the rest fails without it); entangled (later
changes are to the same lines).)";

[[nodiscard]] int number_in(const std::string& text) {
  int number = 0;
  if (read_number(text, number) && number > 0) return number;
  throw Error(Stop::usage, fmt::format("'{}' is no number of an experiment; write one that "
                                       "'autokernel log --status keep' lists",
                                       visible_line(text)));
}

}  // namespace

void LoopAblate::declare(Options options) {
  options.footer(kLoopAblateExamples);
  options.add_option("N", numbers_, "Experiments whose changes are taken out (default: all kept)");
  options
      .add_option("--take-out", take_out_,
                  "Measure nothing: put the best without the change of experiment N into the "
                  "editable files")
      .type_name("N")
      .positive();
  remembered_.declare(options);
  options.add_flag("--json", json_, "Print ledger entries (docs/ledger.md) instead of lines");
  timeout_.declare(options);
  options.add_flag("-v,--verbose", verbose_, "Report progress on standard error");
}

int LoopAblate::run(const Console& console) {
  if (take_out_ && !numbers_.empty())
    throw Error(Stop::usage, "--take-out measures nothing: leave out the numbers");
  std::vector<int> numbers;
  numbers.reserve(numbers_.size());
  for (const std::string& text : numbers_) numbers.push_back(number_in(text));
  Watching watching(console, verbose_ ? Diagnostics::Level::verbose : Diagnostics::Level::quiet,
                    timeout_.limits());
  auto loop = loop::Loop::open(std::filesystem::current_path(), "autokernel loop ablate",
                               watching.context());
  remembered_.require_same(loop.run());
  if (take_out_) {
    loop.take_out(*take_out_);
    console.out << fmt::format(
        "the change of experiment {0} is taken out of the best; try it: "
        "autokernel loop step --simpler -m \"without experiment {0}\"\n",
        *take_out_);
    return 0;
  }
  if (!json_) console.out << ablation_heading() << std::flush;
  const auto tell = [&](const ledger::Ablation& found) {
    if (json_) {
      console.out << ledger::lines_of({found});
    } else {
      const ledger::Experiment experiment = loop.experiment(found.number);
      console.out << ablation_line(experiment, found);
    }
    console.out << std::flush;
  };
  static_cast<void>(loop.ablate(numbers, tell));
  return 0;
}

std::unique_ptr<Command> loop_ablate_command() { return std::make_unique<LoopAblate>(); }

}  // namespace autokernel::cli
