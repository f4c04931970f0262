// `autokernel loop autotune`: the parameters that a kernel declares, tried without an agent.
#include "autokernel/loop/autotune.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/repo/repository.h"
#include "cli/commands.h"
#include "cli/loop/open_run.h"
#include "cli/loop/run_notifications.h"
#include "cli/loop/text.h"
#include "cli/loop/tuning_results.h"
#include "cli/notifications.h"
#include "cli/output_files.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

class LoopAutotune : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "autotune"; }
  [[nodiscard]] std::string summary() const override {
    return "Try the parameters that the kernel declares, without an agent";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  void write_results(const loop::Loop& loop, const Console& console) const;

  RememberedOptions remembered_;
  TimeoutOption timeout_;
  HiddenSizesOption hidden_sizes_;
  std::string strategy_ = "bayes";
  std::optional<int> most_;
  int seed_ = 0;
  std::string t4_;
  bool no_resident_ = false;
  bool no_notify_ = false;
  bool verbose_ = false;
};

constexpr const char* kLoopAutotuneExamples = R"text(Examples:
  autokernel loop autotune
  autokernel loop autotune --most 40 --t4 .autokernel/tuning.json
  autokernel loop autotune --strategy exhaustive

A kernel declares a parameter in place of a constant, and which values go together:

  AUTOKERNEL_TUNE(BM, 64, 128, 256);   // BM is 64
  AUTOKERNEL_TUNE_IF(BM * BN <= 16384);

Each configuration is an experiment of the run, held against the best so far as by 'autokernel
loop step'; what is faster is kept, with its values first. Those that were measured in this run
are not measured again. Ctrl-C stops after the current step. Exit codes: 0 nothing is left, or
--most were tried, 20 a budget of the run is used up.)text";

[[nodiscard]] loop::Strategy strategy_named(const std::string& name) {
  if (name == "bayes") return loop::Strategy::bayes;
  if (name == "random") return loop::Strategy::random;
  if (name == "exhaustive") return loop::Strategy::exhaustive;
  throw Error(Stop::usage, fmt::format("there is no strategy '{}'; there are bayes, random and "
                                       "exhaustive",
                                       visible_line(name)));
}

// A new file in the repository would be taken for an edit.
void require_place_for_results(const std::string& file) {
  namespace fs = std::filesystem;
  if (file.empty()) return;
  refuse_to_overwrite_source(file, "the results");
  require_folder_of(file, "write");
  std::error_code unreadable;
  const fs::path folder = fs::weakly_canonical(fs::absolute(file).parent_path(), unreadable);
  const fs::path root = repo::Repository::open(fs::current_path()).root();
  const fs::path within = folder.lexically_relative(root);
  const bool is_outside = within.empty() || *within.begin() == "..";
  if (is_outside || *within.begin() == ".autokernel") return;
  throw Error(Stop::usage, fmt::format("cannot write {}: a new file in the repository would stop "
                                       "the run; write it elsewhere, or below .autokernel/",
                                       visible_line(file)));
}

[[nodiscard]] std::string summary_text(const loop::TuneSummary& summary) {
  std::string text;
  for (const auto& [name, values] : summary.parameters)
    text += fmt::format("{}: {}\n", name, fmt::join(values, ", "));
  text += fmt::format("{} configuration{}", summary.configurations,
                      summary.configurations == 1 ? "" : "s");
  if (summary.allowed != summary.configurations)
    text += fmt::format(", of which {} meet the conditions", summary.allowed);
  text += fmt::format("; {} measured already\n", summary.measured);
  for (const auto& [condition, why] : summary.left) {
    text +=
        fmt::format("left to the compiler: {}: {}\n", visible_line(condition), visible_line(why));
  }
  return text + "---\n";
}

}  // namespace

void LoopAutotune::declare(Options options) {
  options.footer(kLoopAutotuneExamples);
  options
      .add_option(
          "--strategy", strategy_,
          "bayes (where a model of what was measured expects the most), random or exhaustive")
      .type_name("NAME")
      .tells_default();
  options.add_option("--most", most_, "Try at most N configurations").type_name("N").positive();
  options.add_option("--seed", seed_, "Of what is drawn")
      .within(0, 1'000'000'000)
      .type_name("N")
      .tells_default();
  options.add_option("--t4", t4_, "Write what was measured to FILE, as Kernel Tuner does (T4)")
      .type_name("FILE");
  remembered_.declare(options);
  hidden_sizes_.declare(options);
  timeout_.declare(options);
  add_no_resident(options, no_resident_);
  add_no_notify(options, no_notify_);
  options.add_flag("-v,--verbose", verbose_, "Report progress on standard error");
}

void LoopAutotune::write_results(const loop::Loop& loop, const Console& console) const {
  if (t4_.empty()) return;
  const auto tuned = loop.tuned();
  write_file_atomically(t4_, t4_results(tuned), Sync::no);
  console.err << fmt::format("autokernel: {}: {} measurements\n", visible_line(t4_), tuned.size());
}

int LoopAutotune::run(const Console& console) {
  const loop::AutotuneOptions autotune = {.strategy = strategy_named(strategy_),
                                          .most = most_,
                                          .seed = static_cast<std::uint64_t>(seed_)};
  require_place_for_results(t4_);
  RunNotifications notifications(console, no_notify_);
  Watching watching(console, verbose_ ? Diagnostics::Level::verbose : Diagnostics::Level::quiet,
                    timeout_.limits());
  auto loop =
      loop::Loop::open(std::filesystem::current_path(), "autokernel loop autotune",
                       deciding_context(watching, notifications, hidden_sizes_, !no_resident_));
  remembered_.require_same(loop.run());
  bool begun = false;
  const loop::AutotuneObserver observer = {
      .begins =
          [&](const loop::TuneSummary& summary) {
            begun = true;
            console.out << summary_text(summary) << std::flush;
          },
      .stepped =
          [&](const loop::Step& step) {
            console.out << experiment_line(step.experiment, step.time_us) << std::flush;
            notifications.stepped(step, loop.status());
          }};
  const loop::Autotuned done = [&] {
    try {
      return loop.autotune(autotune, observer);
    } catch (const Error&) {
      // What was measured until then is not lost with it.
      if (begun) write_results(loop, console);
      throw;
    }
  }();
  notifications.settle(done.signal != 0);
  write_results(loop, console);
  console.out << (done.experiments == 0 ? "" : "---\n") << status_text(loop.status()) << std::flush;
  console.err << fmt::format("autokernel: stopped after {} experiment{}, {} kept: {}\n",
                             done.experiments, done.experiments == 1 ? "" : "s", done.kept,
                             done.why);
  if (done.signal != 0) throw Interrupted(done.signal);
  return loop.status().is_budget_used_up() ? static_cast<int>(Stop::budget) : 0;
}

std::unique_ptr<Command> loop_autotune_command() { return std::make_unique<LoopAutotune>(); }

}  // namespace autokernel::cli
