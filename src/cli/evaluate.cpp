// `autokernel evaluate`: a solution of another benchmark, judged as a kernel of its problem's case.
// One in JSON says of which definition it is; one in a file of Python does not.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/bridge/solution.h"
#include "autokernel/bridge/submission.h"
#include "autokernel/cases/case.h"
#include "autokernel/compile/confined_python.h"
#include "autokernel/trial/record.h"
#include "autokernel/trial/result.h"
#include "autokernel/trial/retry.h"
#include "autokernel/trial/sources.h"
#include "cli/case/catalog.h"
#include "cli/case/new_files.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/kernel_sources.h"
#include "cli/option_values.h"
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
    return "Judge a solution of another benchmark";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  // Reads the solution, and finds its case.
  void prepare(const Console& console);
  void take_solution(const std::string& text, const Console& console);
  void take_submission(const std::string& text);
  [[nodiscard]] trial::Request request() const;
  [[nodiscard]] SizeMeasured measure(const trial::Request& common, const std::string& size,
                                     const Console& console);
  void tell(const std::vector<std::string>& notes, const Console& console);
  void keep_traces(const cases::Case& problem) const;
  void write_kernel(const Console& console) const;

  std::string file_;
  std::optional<std::string> case_directory_;
  std::optional<std::string> device_;
  std::optional<std::string> architecture_;
  std::string sizes_;
  std::optional<std::string> against_;
  std::optional<double> timeout_seconds_;
  std::string traces_;
  std::string kernel_out_;
  bool json_ = false;

  bridge::Solution solution_;
  bridge::SolutionKernel kernel_;
  bridge::DefinitionInCase definition_;
  fs::path folder_;                               // of the case
  std::map<std::string, trial::Result> results_;  // by size
  std::set<std::string> told_;
};

constexpr const char* kEvaluateExamples = R"(Examples:
  autokernel import flashinfer-trace                # makes cases/NAME of each definition
  autokernel evaluate flashinfer-trace/solutions/alice/rmsnorm.json
  autokernel evaluate solution.json --sizes check --device cpu
  autokernel evaluate solution.json --against cases/rmsnorm_h4096/kernel.cu --traces traces.jsonl
  autokernel evaluate model_new.py --case cases/19_ReLU      # of KernelBench
  autokernel evaluate submission.py --case cases/grayscale   # of gpu-mode

The host code of the solution is run once for each workload, while its kernels are compiled: in a
process without GPU and network, on tensors that have no values. What it launches is then checked
and timed as any kernel is.
)";

// The cases of a definition: workloads with values of their own have one each. Throws Error(usage)
// where there is none, and where data sets have several definitions of that name.
[[nodiscard]] std::vector<fs::path> cases_of_definition(const std::string& definition) {
  std::vector<fs::path> folders;
  std::string known;
  for (const Listed& each : find_cases(fs::current_path()).cases) {
    const auto text = read_file_below(each.folder, "definition.json", "a definition");
    if (!text || bridge::definition_name(*text) != definition) continue;
    if (!folders.empty() && *text != known) {
      throw Error(Stop::usage,
                  fmt::format("cannot tell which case the solution is for: {} and {} "
                              "are of definitions called {}; --case names one",
                              visible_line(folders.front().string()),
                              visible_line(each.folder.string()), visible_line(definition)));
    }
    folders.push_back(each.folder);
    known = *text;
  }
  if (!folders.empty()) return folders;
  throw Error(Stop::usage,
              fmt::format("cannot evaluate a solution of {}: no case here is of that definition; "
                          "autokernel import FOLDER makes one, and --case names it",
                          visible_line(definition)));
}

// What a file of traces holds; nothing where it is not there. Another file is not added to.
[[nodiscard]] std::string traces_so_far(const fs::path& file) {
  std::error_code unreadable;
  if (!fs::exists(file, unreadable)) return {};
  std::string text = read_file(file, "the traces so far");
  if (!text.empty() && !bridge::are_traces(text)) {
    throw Error(Stop::usage, fmt::format("cannot add traces to {}: it holds something else; name "
                                         "another file",
                                         visible_line(file.string())));
  }
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

[[nodiscard]] const char* status_of(const trial::Result& result) {
  switch (result.verdict) {
    case trial::Verdict::correct:
      return "PASSED";
    case trial::Verdict::incorrect:
      return "INCORRECT_NUMERICAL";
    case trial::Verdict::does_not_compile:
      return "COMPILE_ERROR";
    case trial::Verdict::timed_out:
      return "TIMEOUT";
    case trial::Verdict::crashed:
    case trial::Verdict::unsupported:
      break;
  }
  return "RUNTIME_ERROR";
}

[[nodiscard]] bridge::SolutionRun run_of(const trial::Result& result) {
  constexpr double kMicroseconds = 1000;  // to a millisecond
  bridge::SolutionRun run{
      .status = status_of(result),
      .hardware = result.device ? result.device->name : "none",
      .libs = result.versions,
      .log = result.reason,
      .timestamp = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))};
  if (result.differences) {
    run.max_absolute_error = result.differences->max_abs;
    run.max_relative_error = result.differences->max_rel;
  }
  if (result.times) run.latency_ms = result.times->median_us / kMicroseconds;
  if (result.comparison)
    run.reference_latency_ms = result.comparison->incumbent_times.median_us / kMicroseconds;
  return run;
}

}  // namespace

void Evaluate::declare(Options options) {
  options.footer(kEvaluateExamples +
                 exit_codes_text({Stop::repository, Stop::scope, Stop::budget}));
  options
      .add_option("SOLUTION", file_,
                  "A solution of FlashInfer Trace or SOL-ExecBench (.json), or a submission to "
                  "KernelBench or gpu-mode (.py)")
      .required();
  add_case(options, case_directory_,
           " (default: the one here that is of its definition; a .py names none)");
  add_device(options, device_);
  add_architecture(options, architecture_);
  options
      .add_option("--sizes", sizes_,
                  "Judge it at these sizes of the case alone, with commas (default: all)")
      .type_name("SIZES");
  options
      .add_option("--against", against_,
                  "Compare with another kernel of the case, whose time becomes the traces' "
                  "reference_latency_ms: a file, a folder, or the kernel of a git revision")
      .type_name("FILE|DIR|REV");
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
  options.add_flag("--json", json_, "Print one JSON object instead of text");
}

void Evaluate::take_submission(const std::string& text) {
  if (!case_directory_) {
    throw Error(Stop::usage,
                fmt::format("cannot evaluate {}: it does not say of which problem it is; --case "
                            "names the case",
                            visible_line(file_)));
  }
  if (!traces_.empty()) {
    throw Error(Stop::usage,
                "cannot write traces of a submission: they are of FlashInfer Trace and "
                "SOL-ExecBench; --json prints the results");
  }
  folder_ = *case_directory_;
  const bridge::Submission submission{.file = file_, .text = text};
  kernel_ = bridge::kernel_of_submission(submission, [&](const auto& name) {
    return read_file_below(folder_, name, "a file of the case");
  });
  if (!bridge::is_in_cuda(submission)) return;
  constexpr const char* kUsual = "sm_90";  // the emulated device's
  const cases::Case problem = cases::load(folder_);
  const bridge::CallOfSubmission call{
      .kernel = kernel_,
      .problem = problem,
      .architecture = architecture_.value_or(kUsual),
      .python =
          compile::runnable_python(compile::active_python(), "evaluate " + file_, "[compile]")};
  kernel_ = bridge::cuda_kernel_of_submission(submission, call);
}

void Evaluate::take_solution(const std::string& text, const Console& console) {
  solution_ = bridge::read_solution(file_, text);
  if (case_directory_) {
    folder_ = *case_directory_;
  } else {
    const std::vector<fs::path> folders = cases_of_definition(solution_.definition);
    folder_ = folders.front();
    if (folders.size() > 1) {
      console.err << fmt::format(
          "autokernel: judged in {}; {} more cases are of its definition: --case names one\n",
          visible_line(folder_.string()), folders.size() - 1);
    }
  }
  const auto file = [&](const char* name) {
    return read_file(folder_ / name, "a definition in a case");
  };
  definition_ = {.definition = file("definition.json"),
                 .workloads = file("workloads.jsonl"),
                 .problem = file("problem.json")};
  kernel_ = bridge::kernel_of_solution(solution_, definition_);
}

void Evaluate::prepare(const Console& console) {
  const std::string text = read_file(file_, "the solution");
  if (fs::path(file_).extension() == ".py") {
    take_submission(text);
  } else {
    take_solution(text, console);
  }
  tell(kernel_.notes, console);
}

// Each once, of all sizes.
void Evaluate::tell(const std::vector<std::string>& notes, const Console& console) {
  for (const std::string& note : notes)
    if (told_.insert(note).second) console.err << "autokernel: " << visible_line(note) << '\n';
}

trial::Request Evaluate::request() const {
  trial::Request request;
  if (device_) request.device = trial::parse_device(*device_);
  if (architecture_) request.architecture = *architecture_;
  require_architecture(request.architecture);
  request.case_directory = fs::absolute(folder_);
  cases::CaseFiles files = cases::read_files(request.case_directory);
  const cases::Case problem = cases::parse(files);
  trial::take_case(request, std::move(files));
  request.kernel_file = request.case_directory / kernel_.main;
  request.source = kernel_.files.at(kernel_.main);
  request.files = kernel_.files;
  request.files.erase(kernel_.main);
  if (against_)
    request.incumbent = incumbent_named(*against_, problem.kernel_file(), problem.editable_files);
  return request;
}

SizeMeasured Evaluate::measure(const trial::Request& common, const std::string& size,
                               const Console& console) {
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
  results_[size] = result;
  std::string record = trial::record(request, result, "");
  return {std::move(result), std::move(record)};
}

// Of every workload that was judged: of each size that has its values.
void Evaluate::keep_traces(const cases::Case& problem) const {
  std::string lines = traces_so_far(traces_);
  for (const bridge::WorkloadOfCase& workload : bridge::workloads_in_case(definition_)) {
    const auto found = std::ranges::find_if(results_, [&](const auto& result) {
      return problem.sizes.at(result.first) == workload.symbols;
    });
    if (found == results_.end()) continue;
    lines += bridge::trace_line(solution_, workload, run_of(found->second)) + "\n";
  }
  write_file_atomically(traces_, lines);
}

void Evaluate::write_kernel(const Console& console) const {
  const fs::path root = fs::absolute(kernel_out_).lexically_normal();
  std::vector<NewFile> files;
  files.reserve(kernel_.files.size());
  for (const auto& [path, text] : kernel_.files) files.push_back({.path = path, .bytes = text});
  make_folders(root);
  write_new_files(root, files);
  console.err << fmt::format(
      "autokernel: the kernel is in {0}: autokernel bench --case {1} --kernel {2}\n",
      visible_line(kernel_out_), visible_line(shell_word(folder_.string())),
      visible_line(shell_word((fs::path(kernel_out_) / kernel_.main).string())));
}

int Evaluate::run(const Console& console) {
  prepare(console);
  // Rather now than after the measurement.
  if (!traces_.empty()) write_file_atomically(traces_, traces_so_far(traces_));
  if (!kernel_out_.empty()) write_kernel(console);
  const trial::Request common = request();
  const cases::Case problem = trial::case_of(common);
  const SweepPlan plan{.sizes = sweep_sizes(problem, sizes_),
                       .has_incumbent = common.incumbent.has_value(),
                       .json = json_,
                       .plot = {},
                       .roofline = {}};
  const int code = run_sweep(
      problem, plan, [&](const std::string& size) { return measure(common, size, console); },
      console);
  if (!traces_.empty()) keep_traces(problem);
  return code;
}

std::unique_ptr<Command> evaluate_command() { return std::make_unique<Evaluate>(); }

}  // namespace autokernel::cli
