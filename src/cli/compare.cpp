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
#include "autokernel/base/interrupts.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/plot/bars.h"
#include "autokernel/repo/repository.h"
#include "autokernel/trial/sources.h"
#include "autokernel/trial/supervisor.h"
#include "cli/commands.h"
#include "cli/compare/comparison_bars.h"
#include "cli/compare/comparison_text.h"
#include "cli/compare/rounds.h"
#include "cli/compare/triton_tuning.h"
#include "cli/default_case.h"
#include "cli/kernel_case.h"
#include "cli/kernel_sources.h"
#include "cli/option_values.h"
#include "cli/picture_file.h"
#include "cli/place_options.h"
#include "cli/progress.h"
#include "cli/shared_options.h"
#include "cli/sweep.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

// " (1a2b3c4d5e6f)" for a revision that is named otherwise: by tomorrow it may be another.
[[nodiscard]] std::string revision_text(const std::string& opponent, const cases::Case& problem) {
  std::error_code unreadable;
  if (fs::exists(opponent, unreadable)) return "";
  constexpr std::size_t kShort = 12;
  const std::string commit = repo::Repository::open(problem.directory).resolve(opponent);
  return commit.starts_with(opponent) ? "" : fmt::format(" ({})", commit.substr(0, kShort));
}

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
  // Ours first: what is measured at each size, with the sources as they are now.
  [[nodiscard]] std::vector<KernelOpponent> kernels(const trial::Request& ours,
                                                    const cases::Case& problem) const;
  [[nodiscard]] RoundsPlan plan(std::vector<KernelOpponent> kernels, const cases::Case& problem,
                                const std::string& size, const Console& console,
                                Progress& progress) const;
  // Throws Error(usage) for a picture that cannot be drawn later, before anything is measured.
  void require_drawable(const trial::Request& ours) const;
  void draw(const cases::Case& problem, const std::vector<Comparison>& comparisons,
            const Console& console) const;

  std::vector<std::string> opponents_;
  std::optional<std::string> case_directory_;
  std::optional<std::string> kernel_file_;
  PlaceOptions device_;
  std::string sizes_ = "default";
  int rounds_ = 5;
  std::optional<double> timeout_seconds_;
  std::string plot_;
  bool tune_ = false;
  bool no_libraries_ = false;
  bool no_cache_ = false;
  bool json_ = false;
};

constexpr const char* kCompareExamples = R"(Examples:
  autokernel compare                              our kernel, and the libraries there are
  autokernel compare HEAD~5 tries/other.cu matmul.py --tune
  autokernel compare --size default,large --plot compare.png --json > compare.json

In each round each of them is measured once, in an order of its own: a kernel as by bench, in
processes of its own, with cold caches; libraries beside ours. Times are medians in us, intervals
are of the rounds: "not told apart" where that of the time over ours has 1 in it; below 1, the
other is faster (docs/compare.md).

Exit codes: 0 all kernels were measured; else that of the worst one (see autokernel bench --help):
14 crashed, 13 timed out, 12 does not compile, 11 incorrect, 3 the machine lacks something.
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
  device_.declare(options);
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
  options.add_flag("--no-cache", no_cache_, "Ignore the compile cache");
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
  request.device = device_.choice();
  request.depth = trial::Depth::quick;
  request.cached = !no_cache_;
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

std::vector<KernelOpponent> Compare::kernels(const trial::Request& ours,
                                             const cases::Case& problem) const {
  std::vector<KernelOpponent> all = {
      {kernel_file_.value_or(ours.kernel_file.filename().string()), ours}};
  all.front().request.baselines = !no_libraries_;
  for (const std::string& opponent : opponents_) {
    trial::Request other = ours;
    trial::Incumbent kernel =
        incumbent_named(opponent, problem.kernel_file(), problem.editable_files);
    other.kernel_file = problem.directory / kernel.kernel_name;
    other.source = std::move(kernel.source);
    other.files = std::move(kernel.files);
    all.push_back({opponent + revision_text(opponent, problem), std::move(other)});
  }
  return all;
}

RoundsPlan Compare::plan(std::vector<KernelOpponent> kernels, const cases::Case& problem,
                         const std::string& size, const Console& console,
                         Progress& progress) const {
  RoundsPlan plan{.kernels = std::move(kernels),
                  .baselines = {},
                  .rounds = rounds_,
                  .limits = limits_with(timeout_seconds_, {}),
                  .progress = {},
                  .may_use_resident = true};
  plan.progress = [&](const std::string& what, auto phase, auto elapsed) {
    progress.show(what, phase, elapsed);
  };
  for (KernelOpponent& kernel : plan.kernels) {
    kernel.request.size = size;
    if (tune_) kernel.label += tune_triton(kernel.request, plan, console);
  }
  if (!no_libraries_) {
    for (const cases::BaselineProgram& baseline : problem.baselines)
      plan.baselines.push_back(baseline.file.string());
  }
  return plan;
}

void Compare::draw(const cases::Case& problem, const std::vector<Comparison>& comparisons,
                   const Console& console) const {
  std::string title = problem.name;
  if (const auto& device = comparisons.front().device) title += " on " + device->name;
  const std::optional<plot::Bars> bars = bars_of(title, comparisons);
  if (!bars) {
    console.err << "autokernel: " << visible_line(plot_) << " is not drawn: ours has no time\n";
    return;
  }
  write_file_atomically(plot_, plot::draw_bars(*bars, picture_format(plot_), plot::find_gnuplot()),
                        Sync::no);
  console.err << visible_line(plot_) << ": " << comparisons.size()
              << (comparisons.size() == 1 ? " size\n" : " sizes\n");
}

void Compare::require_drawable(const trial::Request& ours) const {
  if (plot_.empty()) return;
  require_picture(plot_);
  std::vector<std::string> inputs = opponents_;
  inputs.push_back(ours.kernel_file.string());
  for (const std::string& input : inputs) {
    std::error_code no_file;
    if (fs::equivalent(plot_, input, no_file))
      throw Error(Stop::usage, fmt::format("cannot draw to {}: that is a kernel to compare",
                                           visible_line(plot_)));
  }
  static_cast<void>(plot::find_gnuplot());
}

int Compare::run(const Console& console) {
  const trial::Request ours = this->ours();
  require_drawable(ours);
  const cases::Case problem = trial::case_of(ours);
  if (sizes_.empty())
    throw Error(Stop::usage, "--size names nothing: name sizes with commas between, or 'all'");
  const std::vector<std::string> sizes = sweep_sizes(problem, sizes_ == "all" ? "" : sizes_);
  const std::vector<KernelOpponent> kernels = this->kernels(ours, problem);
  std::vector<Comparison> comparisons;
  int exit_code = 0;
  std::optional<int> interrupted;
  for (const std::string& size : sizes) {
    Comparison comparison = [&] {
      Progress progress(console.err,
                        console.err_is_terminal ? Progress::Painting::on : Progress::Painting::off);
      return measure_rounds(plan(kernels, problem, size, console, progress));
    }();
    comparison.symbols = cases::symbol_texts(problem, size);
    if (!json_) {
      if (comparisons.empty() && comparison.device)
        console.out << "Device: " << visible_line(comparison.device->name) << "\n";
      console.out << comparison_table(comparison)
                  << fmt::format("  {} round{} in {:.1f} s\n", comparison.rounds,
                                 comparison.rounds == 1 ? "" : "s", comparison.seconds)
                  << std::flush;
    }
    for (const Series& series : comparison.series) exit_code = worse(exit_code, series.exit_code);
    interrupted = comparison.interrupted;
    comparisons.push_back(std::move(comparison));
    if (interrupted) break;
  }
  if (json_) console.out << comparison_json(comparisons, rounds_) << std::flush;
  // The signal ends the program without its streams being written out.
  if (interrupted) throw Interrupted(*interrupted);
  if (!plot_.empty()) {
    try {
      draw(problem, comparisons, console);
    } catch (const Error& error) {
      // What was measured is printed.
      console.err << "autokernel: " << visible_line(error.what()) << '\n';
      exit_code = worse(exit_code, static_cast<int>(error.stop()));
    }
  }
  return exit_code;
}

std::unique_ptr<Command> compare_command() { return std::make_unique<Compare>(); }

}  // namespace autokernel::cli
