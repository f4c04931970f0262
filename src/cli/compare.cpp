// `autokernel compare`: our kernel against other kernels and libraries, in one run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/plot/bars.h"
#include "autokernel/trial/sources.h"
#include "autokernel/trial/supervisor.h"
#include "cli/commands.h"
#include "cli/compare/comparison_text.h"
#include "cli/compare/rounds.h"
#include "cli/compare/triton_tuning.h"
#include "cli/default_case.h"
#include "cli/kernel_case.h"
#include "cli/kernel_sources.h"
#include "cli/option_values.h"
#include "cli/picture_file.h"
#include "cli/progress.h"
#include "cli/shared_options.h"
#include "cli/sweep.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

class Compare : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "compare"; }
  [[nodiscard]] std::string summary() const override {
    return "Compare a kernel with other kernels and with libraries, in one run";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  [[nodiscard]] trial::Request ours() const;
  [[nodiscard]] RoundsPlan plan(const trial::Request& ours, const std::string& size,
                                const Console& console, Progress& progress);
  void draw(const cases::Case& problem, const std::vector<Comparison>& comparisons,
            const Console& console) const;

  std::vector<std::string> opponents_;
  std::optional<std::string> case_directory_;
  std::optional<std::string> kernel_file_;
  std::string device_ = "auto";
  std::string sizes_ = "default";
  int rounds_ = 5;
  std::optional<double> timeout_seconds_;
  std::string plot_;
  bool tune_ = false;
  bool no_libraries_ = false;
  bool json_ = false;
};

constexpr const char* kCompareExamples = R"(Examples:
  autokernel compare                              our kernel, and the libraries there are
  autokernel compare HEAD~5 tries/other.cu matmul.py --tune
  autokernel compare --size default,large --plot compare.png --json > compare.json

In each round each of them is measured once, in an order of its own: a kernel as by bench, in
processes of its own, with cold caches; libraries beside ours. Intervals are of the rounds
(docs/compare.md).
)";

}  // namespace

void Compare::declare(Options options) {
  options.footer(kCompareExamples);
  options.add_option("KERNEL", opponents_,
                     "Other kernels of the case: files (.cu, .py, .toml), folders, or revisions");
  add_case(options, case_directory_);
  options
      .add_option("--kernel", kernel_file_,
                  "Our kernel: its file, or a folder (default: the case's)")
      .type_name("FILE|DIR");
  add_device(options, device_);
  options
      .add_option("--size", sizes_,
                  "Sizes to compare at, with commas between [default]; 'all' for all of the case")
      .type_name("NAMES");
  options.add_option("--rounds", rounds_, "How often each is measured")
      .within(2, 100)
      .tells_default();
  options.add_flag("--tune", tune_,
                   "Of a kernel with @triton.autotune: measure all configurations, take the best");
  options.add_flag("--no-libraries", no_libraries_, "Kernels alone, and the case's reference");
  options
      .add_option("--timeout", timeout_seconds_,
                  "Deadline for each of compile, check and time of a trial")
      .type_name("SECONDS");
  options.add_option("--plot", plot_, "Draw a bar chart to FILE (.png, .svg)").type_name("FILE");
  options.add_flag("--json", json_, "Print one JSON object instead of tables");
}

trial::Request Compare::ours() const {
  trial::Request request;
  request.case_directory = fs::absolute(case_directory_ ? existing_case(*case_directory_)
                                                        : default_case(fs::current_path()));
  cases::CaseFiles files = cases::read_files(request.case_directory);
  const cases::Case problem = cases::parse(files);
  require_kernel(problem, "autokernel compare");
  trial::take_case(request, std::move(files));
  request.device = driver::parse_device(device_);
  request.depth = trial::Depth::quick;
  cases::EditableFiles others = problem.editable_files;
  request.kernel_file = problem.kernel_file();
  if (kernel_file_) {
    request.kernel_file = fs::absolute(main_file(*kernel_file_, problem.kernel_name));
    others = other_files(*kernel_file_, others);
  }
  cases::KernelSource kernel = cases::read_kernel(request.kernel_file, others, "the kernel");
  request.source = std::move(kernel.text);
  request.files = std::move(kernel.files);
  return request;
}

RoundsPlan Compare::plan(const trial::Request& ours, const std::string& size,
                         const Console& console, Progress& progress) {
  RoundsPlan plan{.kernels = {},
                  .baselines = {},
                  .rounds = rounds_,
                  .limits = limits_with(timeout_seconds_, {}),
                  .observer = {},
                  .may_use_resident = true};
  plan.observer.progress = [&](auto phase, auto elapsed) { progress.show(phase, elapsed); };
  const cases::Case problem = trial::case_of(ours);
  trial::Request request = ours;
  request.size = size;
  request.baselines = !no_libraries_;
  plan.kernels.push_back({ours.kernel_file.filename().string(), request});
  request.baselines = false;
  for (const std::string& opponent : opponents_) {
    trial::Request other = request;
    trial::Incumbent kernel =
        incumbent_named(opponent, problem.kernel_file(), problem.editable_files);
    other.kernel_file = problem.directory / kernel.kernel_name;
    other.source = std::move(kernel.source);
    other.files = std::move(kernel.files);
    std::string label = opponent;
    if (tune_) label += tune_triton(other, plan, console);
    plan.kernels.push_back({std::move(label), std::move(other)});
  }
  if (!no_libraries_) {
    for (const cases::BaselineProgram& baseline : problem.baselines)
      plan.baselines.push_back(baseline.file.string());
  }
  return plan;
}

void Compare::draw(const cases::Case& problem, const std::vector<Comparison>& comparisons,
                   const Console& console) const {
  if (plot_.empty()) return;
  const Comparison& first = comparisons.front();
  const bool by_bytes = first.flops < first.bytes;
  plot::Bars bars{.title = problem.name + (first.device ? " on " + first.device->name : ""),
                  .headline = fmt::format("{}; {} rounds", first.problem, rounds_),
                  .unit = by_bytes ? "GB/s (more is better)" : "TFLOP/s (more is better)",
                  .groups = {}};
  for (const Comparison& comparison : comparisons) {
    plot::BarGroup group{.name = comparison.size, .bars = {}};
    for (const Series& series : comparison.series) {
      const auto time = time_of(series);
      if (!time) continue;
      const double work = by_bytes ? comparison.bytes / 1e3 : comparison.flops / 1e6;
      // "tries/other.cu" is other.cu, and "cuBLASLt 13.1.0 (...)" without its version.
      const bool is_library = series.kind == OpponentKind::library;
      std::string label = is_library ? series.label.substr(0, series.label.find(' '))
                                     : fs::path(series.label).filename().string();
      if (series.kind == OpponentKind::ours) label += " (ours)";
      if (is_library && !series.configuration.empty())
        label += ", " + series.configuration.substr(0, series.configuration.find(','));
      group.bars.push_back({.label = std::move(label),
                            .value = work / time->value,
                            .low = work / time->high,
                            .high = work / time->low});
    }
    bars.groups.push_back(std::move(group));
  }
  plot::write_in_small_unit(bars);
  write_file_atomically(plot_, plot::draw_bars(bars, picture_format(plot_), plot::find_gnuplot()),
                        Sync::no);
  console.err << visible_line(plot_) << ": " << comparisons.size()
              << (comparisons.size() == 1 ? " size\n" : " sizes\n");
}

int Compare::run(const Console& console) {
  if (!plot_.empty()) {
    require_picture(plot_);
    static_cast<void>(plot::find_gnuplot());
  }
  const trial::Request ours = this->ours();
  const cases::Case problem = trial::case_of(ours);
  const std::vector<std::string> sizes = sweep_sizes(problem, sizes_ == "all" ? "" : sizes_);
  std::vector<Comparison> comparisons;
  int exit_code = 0;
  for (const std::string& size : sizes) {
    Comparison comparison = [&] {
      Progress progress(console.err,
                        console.err_is_terminal ? Progress::Painting::on : Progress::Painting::off);
      return measure_rounds(plan(ours, size, console, progress));
    }();
    comparison.symbols = cases::symbol_texts(problem, size);
    if (!json_) {
      if (comparisons.empty() && comparison.device)
        console.out << "Device: " << visible_line(comparison.device->name) << "\n";
      console.out << comparison_table(comparison)
                  << fmt::format("  {} rounds in {:.1f} s\n", rounds_, comparison.seconds)
                  << std::flush;
    }
    for (const Series& series : comparison.series) exit_code = worse(exit_code, series.exit_code);
    comparisons.push_back(std::move(comparison));
  }
  if (json_) console.out << comparison_json(comparisons, rounds_) << std::flush;
  draw(problem, comparisons, console);
  return exit_code;
}

std::unique_ptr<Command> compare_command() { return std::make_unique<Compare>(); }

}  // namespace autokernel::cli
