// `autokernel loop start`: a run on a branch of its own, with the kernel as it is as its baseline.
#include <filesystem>
#include <optional>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/trial/judge.h"
#include "autokernel/trial/verdicts.h"
#include "cli/commands.h"
#include "cli/default_case.h"
#include "cli/loop/open_run.h"
#include "cli/loop/text.h"
#include "cli/noise_store.h"
#include "cli/option_values.h"
#include "cli/report.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

class LoopStart : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "start"; }
  [[nodiscard]] std::string summary() const override {
    return "Start a run: make a branch, and measure the baseline";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  std::string tag_;
  RememberedOptions remembered_;
  TimeoutOption timeout_;
  HiddenSizesOption hidden_sizes_;
  std::string architecture_;
  std::string size_ = "default";
  std::optional<double> min_gain_pct_;
  std::optional<int> max_runs_;
  std::optional<double> hours_;
  std::optional<int> no_progress_;
  bool verbose_ = false;
};

namespace fs = std::filesystem;

constexpr const char* kLoopStartExamples = R"(Examples:
  autokernel loop start tiles
  autokernel loop start tiles --max-runs 200 --hours 8 --no-progress 25
  autokernel loop start tiles-2 --case kernels --device cuda:1

Commit the kernel first: the committed kernel is the baseline. If the start is refused, nothing is
changed.)";

// In a subfolder of the repository the case of its root is meant.
[[nodiscard]] fs::path chosen_case(const std::optional<std::string>& named) {
  if (named) return fs::canonical(existing_case(*named));
  const fs::path here = fs::current_path();
  for (fs::path folder = here;; folder = folder.parent_path()) {
    if (fs::exists(folder / "case.toml")) return fs::canonical(folder);
    if (fs::exists(folder / "kernels" / "case.toml")) return fs::canonical(folder / "kernels");
    if (folder == folder.root_path() || fs::exists(folder / ".git")) break;
  }
  throw Error(Stop::usage, "no case found in " + here.string() +
                               " or above it; name a folder that has a case.toml with --case DIR");
}

// Whether the run's minimum gain is detectable on this machine, before a night is spent on it.
void warn_of_noise(const ledger::RunStarted& run, const fs::path& case_directory,
                   const Console& console) {
  const KnownNoise known = known_noise(case_directory, run.size);
  for (const std::string& line : known.ignored)
    console.err << "autokernel: " << visible_line(line) << '\n';
  for (const trial::DeviceNoise& noise : device_noise(known)) {
    if (noise.device != run.device_name || noise.driver_version != run.driver_version) continue;
    const std::string why = out_of_reach(noise, run.min_gain);
    if (!why.empty()) console.err << "autokernel: " << visible_line(why) << '\n';
  }
}

}  // namespace

void LoopStart::declare(Options options) {
  options.footer(kLoopStartExamples);
  options.add_option("TAG", tag_, "Name of the run: letters, digits, '-', '_' and '.'").required();
  remembered_.declare(options);
  add_architecture(options, architecture_);
  add_size(options, size_);
  add_min_gain(options, min_gain_pct_, "that is kept");
  add_budget(options, max_runs_, hours_, no_progress_, " [20]");
  hidden_sizes_.declare(options);
  timeout_.declare(options);
  options.add_flag("-v,--verbose", verbose_, "Report progress on standard error");
}

int LoopStart::run(const Console& console) {
  // Of a night's experiments few are kept: twenty in a row that are not say that the ideas are used
  // up.
  constexpr int kNoProgress = 20;
  loop::StartOptions options;
  options.tag = tag_;
  options.case_directory = chosen_case(remembered_.case_directory);
  options.device = remembered_.place.choice();
  if (driver::kind_of_place(options.device.place) == driver::PlaceKind::judge &&
      trial::is_judge_of_this_user(options.device.place)) {
    console.err << "autokernel: this judge runs as you do: 'loop finish' will confirm nothing by "
                   "it (docs/judge.md)\n";
  }
  require_architecture(architecture_);
  options.architecture = architecture_;
  options.size = size_;
  if (min_gain_pct_) options.min_gain = min_gain_of(*min_gain_pct_);
  options.budget = {
      .max_runs = max_runs_, .hours = hours_, .no_progress = no_progress_.value_or(kNoProgress)};

  Watching watching(console, verbose_ ? Diagnostics::Level::verbose : Diagnostics::Level::quiet,
                    timeout_.limits());
  loop::LoopContext context = watching.context();
  context.hidden_sizes = hidden_sizes_.file;
  auto loop = loop::Loop::open(options.case_directory, "autokernel loop start", std::move(context));
  const loop::Loop::Started started = loop.start(options);
  if (!started.step) {
    console.out << text_block(started.result, "");
    console.err << "autokernel: no run was started: the baseline must be correct\n";
    return trial::finding(started.result).exit_code;
  }
  if (!started.moved_aside.empty()) {
    console.err << "autokernel: the rows of an earlier run are in " << started.moved_aside << '\n';
  }
  warn_of_noise(started.step->run, options.case_directory, console);
  console.out << step_text(*started.step);
  return 0;
}

std::unique_ptr<Command> loop_start_command() { return std::make_unique<LoopStart>(); }

}  // namespace autokernel::cli
