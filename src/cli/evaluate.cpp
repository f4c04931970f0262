// `autokernel evaluate`: solutions of other benchmarks, judged as kernels of their problems' cases.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/bridge/baseline_times.h"
#include "autokernel/cases/case.h"
#include "autokernel/trial/record.h"
#include "autokernel/trial/result.h"
#include "autokernel/trial/retry.h"
#include "autokernel/trial/sources.h"
#include "cli/case/new_files.h"
#include "cli/commands.h"
#include "cli/evaluate/scores.h"
#include "cli/evaluate/solution_in_case.h"
#include "cli/evaluate/traces.h"
#include "cli/exit_codes.h"
#include "cli/kernel_sources.h"
#include "cli/option_values.h"
#include "cli/place_options.h"
#include "cli/progress.h"
#include "cli/shared_options.h"
#include "cli/shell_word.h"
#include "cli/sweep.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

class Evaluate : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "evaluate"; }
  [[nodiscard]] std::string summary() const override {
    return "Judge solutions of other benchmarks";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  using Results = std::map<std::string, trial::Result>;  // by size

  void require_sense() const;
  // Judges one, and returns its exit code. Throws Error where it cannot be judged.
  [[nodiscard]] int judge(const std::string& file, const Console& console);
  [[nodiscard]] int judge_or_note(const std::string& file, const Console& console);
  void print_scores(const Console& console) const;
  [[nodiscard]] trial::Request request(const SolutionInCase& solution) const;
  [[nodiscard]] SizeMeasured measure(const trial::Request& common, const std::string& size,
                                     const Console& console, Results& results);
  void tell(const std::vector<std::string>& notes, const Console& console);
  void write_kernel(const SolutionInCase& solution, const Console& console) const;

  std::vector<std::string> files_;
  std::optional<std::string> case_directory_;
  PlaceOptions device_;
  std::optional<std::string> architecture_;
  std::string sizes_;
  std::optional<std::string> against_;
  std::optional<std::string> baseline_file_;
  std::optional<double> timeout_seconds_;
  std::string traces_;
  std::string kernel_out_;
  bool json_ = false;

  std::optional<bridge::BaselineTimes> baseline_;
  std::vector<SolutionScore> scores_;
  std::set<std::string> told_;
};

constexpr const char* kEvaluateExamples = R"(Examples:
  autokernel import flashinfer-trace                # makes cases/NAME of each definition
  autokernel evaluate flashinfer-trace/solutions/alice/rmsnorm.json
  autokernel evaluate solution.json --sizes check --device cpu
  autokernel evaluate solution.json --against cases/rmsnorm_h4096/kernel.cu --traces traces.jsonl
  autokernel evaluate model_new.py --case cases/19_ReLU      # of KernelBench
  autokernel evaluate submission.py --case cases/grayscale   # of gpu-mode
  autokernel evaluate runs/mine/*.py --baseline baseline_time_torch.json   # fast_p of all

The host code of a solution is run once for each workload, while its kernels are compiled: in a
process without GPU and network, on tensors that have no values. What it launches is then checked
and timed as any kernel is.
)";

}  // namespace

void Evaluate::declare(Options options) {
  options.footer(kEvaluateExamples +
                 exit_codes_text({Stop::repository, Stop::scope, Stop::budget}));
  options
      .add_option("SOLUTIONS", files_,
                  "Solutions of FlashInfer Trace or SOL-ExecBench (.json), or submissions to "
                  "KernelBench or gpu-mode (.py)")
      .required();
  add_case(options, case_directory_,
           " (default: the one here that is of its definition; of a .py the one that has its name, "
           "or the number in level_1_problem_19_sample_0_kernel.py)");
  device_.declare(options);
  add_architecture(options, architecture_);
  options
      .add_option("--sizes", sizes_,
                  "Judge at these sizes of the case alone, with commas (default: all)")
      .type_name("SIZES");
  options
      .add_option("--against", against_,
                  "Compare with another kernel of the case, whose time becomes the traces' "
                  "reference_latency_ms: a file, a folder, or the kernel of a git revision")
      .type_name("FILE|DIR|REV");
  options
      .add_option(
          "--baseline", baseline_file_,
          "Score by times of the reference: a file of KernelBench's times, or traces (.jsonl)")
      .type_name("FILE");
  options
      .add_option("--timeout", timeout_seconds_,
                  "Deadline for each of compile, check and time (default: 30, 120, 120)")
      .type_name("SECONDS");
  options.add_option("--traces", traces_, "Add a trace for each workload to FILE (.jsonl)")
      .type_name("FILE");
  options
      .add_option("--kernel-out", kernel_out_,
                  "Write the solution as files of a kernel into a new folder, for bench --kernel")
      .type_name("DIR");
  options.add_flag("--json", json_, "Print JSON objects instead of text, one to a line");
}

void Evaluate::require_sense() const {
  const auto refuse = [](const std::string& what) { throw Error(Stop::usage, what); };
  if (files_.size() > 1 && against_)
    refuse("cannot compare several solutions with one kernel: --against is for one solution");
  if (files_.size() > 1 && !kernel_out_.empty())
    refuse(
        "cannot write the kernels of several solutions into one folder: --kernel-out is for one");
  if (baseline_ && against_)
    refuse("cannot take speedups over two things: leave out --baseline or --against");
  require_one_level(files_);
  for (const std::string& file : files_) {
    if (traces_.empty() || fs::path(file).extension() != ".py") continue;
    refuse(
        "cannot write traces of a submission: they are of FlashInfer Trace and SOL-ExecBench; "
        "--json prints the results");
  }
}

// Each once, of all sizes.
void Evaluate::tell(const std::vector<std::string>& notes, const Console& console) {
  for (const std::string& note : notes)
    if (told_.insert(note).second) console.err << "autokernel: " << visible_line(note) << '\n';
}

trial::Request Evaluate::request(const SolutionInCase& solution) const {
  trial::Request request;
  request.device = device_.choice();
  if (architecture_) request.architecture = *architecture_;
  require_architecture(request.architecture);
  request.case_directory = fs::absolute(solution.folder);
  cases::CaseFiles files = cases::read_files(request.case_directory);
  const cases::Case problem = cases::parse(files);
  trial::take_case(request, std::move(files));
  const bridge::SolutionKernel& kernel = solution.kernel;
  request.kernel_file = request.case_directory / kernel.main;
  request.source = kernel.files.at(kernel.main);
  request.files = kernel.files;
  request.files.erase(kernel.main);
  if (against_)
    request.incumbent = incumbent_named(*against_, problem.kernel_file(), problem.editable_files);
  return request;
}

SizeMeasured Evaluate::measure(const trial::Request& common, const std::string& size,
                               const Console& console, Results& results) {
  trial::Request request = common;
  request.size = size;
  trial::Observer observer;
  Progress progress(console.err, console.err_is_terminal && !json_ ? Progress::Painting::on
                                                                   : Progress::Painting::off);
  observer.progress = [&](auto phase, auto elapsed) { progress.show(phase, elapsed); };
  observer.learned = [&](const trial::Result& known) { tell(known.warnings, console); };
  trial::Result result =
      trial::supervise_with_retry(request, limits_with(timeout_seconds_, {}), observer);
  tell(result.warnings, console);
  results[size] = result;
  std::string record = trial::record(request, result, "");
  return {std::move(result), std::move(record)};
}

void Evaluate::write_kernel(const SolutionInCase& solution, const Console& console) const {
  const bridge::SolutionKernel& kernel = solution.kernel;
  const fs::path root = fs::absolute(kernel_out_).lexically_normal();
  std::vector<NewFile> files;
  files.reserve(kernel.files.size());
  for (const auto& [path, text] : kernel.files) files.push_back({.path = path, .bytes = text});
  make_folders(root);
  write_new_files(root, files);
  console.err << fmt::format(
      "autokernel: the kernel is in {0}: autokernel bench --case {1} --kernel {2}\n",
      visible_line(kernel_out_), visible_line(shell_word(solution.folder.string())),
      visible_line(shell_word((fs::path(kernel_out_) / kernel.main).string())));
}

int Evaluate::judge(const std::string& file, const Console& console) {
  const SolutionInCase solution = solution_in_case(file, case_directory_, architecture_, console);
  tell(solution.kernel.notes, console);
  if (!kernel_out_.empty()) write_kernel(solution, console);
  const trial::Request common = request(solution);
  const cases::Case problem = trial::case_of(common);
  const SweepPlan plan{.sizes = sweep_sizes(problem, sizes_),
                       .has_incumbent = common.incumbent.has_value(),
                       .json = json_,
                       .plot = {},
                       .roofline = {}};
  if (files_.size() > 1 && !json_) {
    console.out << fmt::format("== {} in {}\n", visible_line(file),
                               visible_line(solution.folder.string()));
  }
  Results results;
  const int code = run_sweep(
      problem, plan,
      [&](const std::string& size) { return measure(common, size, console, results); }, console);
  if (!traces_.empty()) {
    write_file_atomically(traces_,
                          traces_so_far(traces_) + trace_lines(solution, problem, results));
  }
  scores_.push_back(score_of(solution, problem, results, baseline_));
  // A size that could not be measured is not right.
  SolutionScore& score = scores_.back();
  score.is_right = score.is_right && results.size() == plan.sizes.size();
  tell(score.doubts, console);
  return code;
}

// One that cannot be judged does not stop the others. What this machine lacks, all lack.
int Evaluate::judge_or_note(const std::string& file, const Console& console) {
  try {
    return judge(file, console);
  } catch (const Error& error) {
    if (files_.size() == 1 || error.stop() != Stop::usage) throw;
    console.err << fmt::format("autokernel: {}\n", visible_line(error.what()));
    SolutionScore& score = scores_.emplace_back();
    score.file = file;
    const std::string beginning = fmt::format("cannot evaluate {}: ", visible_line(file));
    const std::string why = error.what();
    score.why_not =
        "not judged: " + (why.starts_with(beginning) ? why.substr(beginning.size()) : why);
    return static_cast<int>(error.stop());
  }
}

void Evaluate::print_scores(const Console& console) const {
  if (scores_.empty() || (files_.size() == 1 && !baseline_ && !against_)) return;
  console.out << (json_ ? scores_record(scores_) : scores_text(scores_)) << std::flush;
}

int Evaluate::run(const Console& console) {
  if (baseline_file_) {
    baseline_ = bridge::read_baseline_times(*baseline_file_,
                                            read_file(*baseline_file_, "the baseline's times"));
  }
  require_sense();
  // Rather now than after the measurement.
  if (!traces_.empty()) write_file_atomically(traces_, traces_so_far(traces_));
  int code = 0;
  try {
    for (const std::string& file : files_) code = worse(code, judge_or_note(file, console));
  } catch (const Interrupted&) {
    print_scores(console);
    throw;
  }
  print_scores(console);
  return code;
}

std::unique_ptr<Command> evaluate_command() { return std::make_unique<Evaluate>(); }

}  // namespace autokernel::cli
