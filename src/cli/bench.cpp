// `autokernel bench`: one measurement of one kernel. It changes no file of the user's and knows
// nothing of git.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/case.h"
#include "autokernel/trial/command.h"
#include "autokernel/trial/figures.h"
#include "autokernel/trial/record.h"
#include "autokernel/trial/resident.h"
#include "autokernel/trial/result.h"
#include "autokernel/trial/retry.h"
#include "autokernel/trial/sources.h"
#include "autokernel/trial/verdicts.h"
#include "cli/commands.h"
#include "cli/default_case.h"
#include "cli/diagnostics.h"
#include "cli/exit_codes.h"
#include "cli/kernel_case.h"
#include "cli/kernel_sources.h"
#include "cli/log_folder.h"
#include "cli/log_text.h"
#include "cli/noise_store.h"
#include "cli/option_values.h"
#include "cli/output_files.h"
#include "cli/place_options.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/shared_options.h"
#include "cli/sweep.h"

namespace autokernel::cli {
namespace {

class Bench : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "bench"; }
  [[nodiscard]] std::string summary() const override {
    return "Compile, check and time a kernel once";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  [[nodiscard]] int measure(const Console& console) const;
  [[nodiscard]] int measure_sizes(const Console& console) const;
  [[nodiscard]] bool is_sweep() const { return sweep_ || !roofline_.empty(); }
  // Throws Error(usage) for options that do not go together with several trials, or with one.
  void require_one_purpose() const;
  // What the options ask for; what they leave open is taken from the record to replay, if any.
  [[nodiscard]] trial::Request request(const Console& console) const;
  // One trial, and its log.
  struct Measured {
    trial::Result result;
    std::string log;
  };
  [[nodiscard]] Measured measured(trial::Request& request, const trial::Limits& limits,
                                  const Console& console, std::set<std::string>& warned) const;
  // What it finds of them goes into `result`, with what could not be timed as warnings.
  static void add_baselines(const trial::Request& request, const trial::Limits& limits,
                            const trial::Observer& observer, trial::Result& result);
  // Sets what the kernel is to be compared with.
  void require_no_kernel_option(const cases::Case& problem) const;
  void add_incumbent(trial::Request& request, const cases::EditableFiles& others) const;
  [[nodiscard]] std::string kept_log(const trial::Request& request, const std::string& text,
                                     const std::string& ptx, const Console& console) const;

  std::optional<std::string> case_directory_;  // none: the nearest
  std::optional<std::string> kernel_file_;     // none: the case's
  PlaceOptions device_;                        // none: auto
  std::optional<std::string> architecture_;    // none: the device's
  std::optional<std::string> size_;            // none: default
  bool quick_ = false;
  bool full_ = false;
  bool stages_ = false;
  std::optional<double> timeout_seconds_;
  std::optional<std::string> against_;  // a file, a folder or a revision; none: nothing
  std::optional<double> min_gain_pct_;  // none: the device's
  std::optional<std::string> sweep_;    // sizes, with commas; empty: all
  std::string plot_;                    // files of the pictures of a sweep; empty: none
  std::string roofline_;
  bool allow_ = false;
  std::string replay_;  // a record of an earlier bench; empty: none
  std::string log_;     // where the full log goes; empty: among the kept ones
  bool baselines_ = false;
  bool no_cache_ = false;
  bool unconfined_ = false;
  bool json_ = false;
  bool quiet_ = false;
  bool timings_ = false;
  bool no_resident_ = false;
  bool verbose_ = false;
};

namespace fs = std::filesystem;

constexpr const char* kBenchExamples = R"(Examples:
  autokernel bench
  autokernel bench --kernel tries/swizzled.cu --size check
  autokernel bench --case kernels --device cuda:1
  autokernel bench --full
  autokernel bench --device cpu --timeout 60 | grep '^median_us:'
  autokernel bench --against HEAD~1
  autokernel bench --sweep --plot sizes.png --roofline roofline.png
  autokernel bench --json > /tmp/bad.json; autokernel bench --replay /tmp/bad.json --device cpu

Prints one 'key: value' per line; a value that does not exist has no line. With --json, prints one
JSON object (docs/json.md).
With --against, 0 is faster.
)";

// What is known to be in the way before anything is measured, once.
void warn(const Console& console, const trial::Result& known, std::set<std::string>& warned) {
  for (const std::string& warning : known.warnings) {
    if (!warned.insert(warning).second) continue;
    console.err << "autokernel: " << visible_line(warning) << '\n';
  }
}

// A pattern that matches nothing is a slip, as a rule.
void warn_of_idle_patterns(const Console& console, const cases::EditableFiles& others,
                           const std::map<std::string, std::string>& files) {
  std::vector<std::string> paths;
  paths.reserve(files.size());
  for (const auto& [path, text] : files) paths.push_back(path);
  for (const std::string& pattern : others.without_match(paths)) {
    console.err << "autokernel: editable_files has \"" << visible_line(pattern)
                << "\", which matches no file\n";
  }
}

}  // namespace

void Bench::declare(Options options) {
  options.footer(kBenchExamples + exit_codes_text({Stop::repository, Stop::scope, Stop::budget}));
  add_case(options, case_directory_);
  options
      .add_option("--kernel", kernel_file_,
                  "Kernel to measure: its file, or a folder with kernel.cu and what it includes "
                  "(default: the case's)")
      .type_name("FILE|DIR");
  device_.declare(options);
  add_architecture(options, architecture_);
  add_size(options, size_);
  Option quick = options.add_flag("--quick", quick_, "Check only that it is right, and time it");
  Option full = options.add_flag("--full", full_, "Check it at all sizes of the case as well");
  quick.excludes(full);
  options
      .add_option("--sweep", sweep_,
                  "Measure at several sizes, in a table: those named, with commas (default: all "
                  "of the case)")
      .type_name("[SIZES]")
      .value_may_be_left_out();
  options.add_option("--plot", plot_, "With --sweep: draw times by size to FILE (.png, .svg)")
      .type_name("FILE");
  options
      .add_option("--roofline", roofline_,
                  "Sweep, and draw all sizes below the device's limits to FILE (.png, .svg)")
      .type_name("FILE");
  options.add_flag("--stages", stages_, "List the stages that a kernel passes through, and stop");
  options
      .add_option("--timeout", timeout_seconds_,
                  "Deadline for each of compile, check and time (default: 30, 120, 120)")
      .type_name("SECONDS");
  options
      .add_option("--against", against_,
                  "Compare with another kernel in pairs of launches: a file, a folder, or the "
                  "kernel of a git revision")
      .type_name("FILE|DIR|REV");
  add_min_gain(options, min_gain_pct_, "that counts as faster");
  options
      .add_option("--replay", replay_,
                  "Repeat the bench whose --json output is in FILE, with its kernel, options and "
                  "inputs; options given here override it")
      .type_name("FILE");
  options.add_flag("--allow", allow_, kAllowHelp);
  options
      .add_option("--log", log_,
                  "Write the full log to FILE (default: a new file in .autokernel/logs)")
      .type_name("FILE");
  options.add_flag("--baselines", baselines_,
                   "Also time what else computes the same: cuBLASLt for a product, on a GPU, and "
                   "the baselines of the case");
  options.add_flag("--no-cache", no_cache_, "Ignore the compile cache");
  options.add_flag("--unconfined", unconfined_,
                   "Run the kernel without its sandbox, for a profiler (ncu autokernel bench "
                   "--unconfined); such times do not count");
  Option timings = add_timings(options, timings_);
  add_no_resident(options, no_resident_);
  Option json = options.add_flag("--json", json_, "Print one JSON object instead of text");
  Option quiet = options.add_flag("-q,--quiet", quiet_, "Print only the median, in microseconds");
  Option verbose = options.add_flag("-v,--verbose", verbose_, "Report progress on standard error");
  quiet.excludes(json).excludes(verbose).excludes(timings);
}

trial::Request Bench::request(const Console& console) const {
  trial::Request request = replay_.empty() ? trial::Request{} : trial::recorded_request(replay_);
  request.python_allowed = replay_.empty() || allow_;
  if (device_.are_given()) request.device = device_.choice();
  if (architecture_) request.architecture = *architecture_;
  require_architecture(request.architecture);
  if (size_) request.size = *size_;
  if (quick_) request.depth = trial::Depth::quick;
  if (full_) request.depth = trial::Depth::full;
  request.baselines = baselines_;
  request.cached = !no_cache_;
  request.confined = !unconfined_;
  if (case_directory_ || replay_.empty()) {
    request.case_directory = fs::absolute(case_directory_ ? existing_case(*case_directory_)
                                                          : default_case(fs::current_path()));
  }
  cases::CaseFiles files = cases::read_files(request.case_directory);
  const cases::Case problem = cases::parse(files);
  if (problem.command) require_no_kernel_option(problem);
  cases::EditableFiles others = problem.editable_files;
  trial::take_case(request, std::move(files));
  if (kernel_file_) {
    request.kernel_file = fs::absolute(main_file(*kernel_file_, problem.kernel_name));
    others = other_files(*kernel_file_, others);
  } else if (replay_.empty()) {
    request.kernel_file = problem.kernel_file();
  }
  // Nobody named it, and it may not be what was meant.
  if (!case_directory_ && replay_.empty() && request.case_directory == installed_case()) {
    console.err << "autokernel: no case in this folder; measuring the installed "
                << request.case_directory.string() << '\n';
  }
  const bool is_recorded = !request.source.empty();
  if (!replay_.empty()) {
    const char* const which = kernel_file_ ? "its inputs"
                              : is_recorded
                                  ? "its kernel, not the file as it is now, and its inputs"
                                  : "its inputs; its kernel is not in the record, as it is "
                                    "no UTF-8, so the file is measured as it is now";
    console.err << "autokernel: replaying " << visible_line(replay_) << ": " << which
                << ", known beforehand; a fresh bench is what counts\n";
  }
  // A replay is of the source as it was, whatever has become of the file.
  if (kernel_file_ || !is_recorded) {
    cases::KernelSource kernel =
        problem.command && !kernel_file_
            ? cases::read_kernel_in(request.case_directory, problem.kernel_name, others,
                                    "the program")
            : cases::read_kernel(request.kernel_file, others, "the kernel");
    request.source = std::move(kernel.text);
    request.files = std::move(kernel.files);
    if (!kernel_file_) warn_of_idle_patterns(console, others, request.files);
  }
  add_incumbent(request, others);
  return request;
}

// Options that say something of kernels alone.
void Bench::require_no_kernel_option(const cases::Case& problem) const {
  struct Given {
    const char* name;
    bool is_given;
  };
  for (const auto& [name, is_given] :
       {Given{"--arch", architecture_.has_value()}, Given{"--device", device_.are_given()},
        Given{"--size", size_.has_value()}, Given{"--quick", quick_}, Given{"--full", full_},
        Given{"--sweep", sweep_.has_value()}, Given{"--roofline", !roofline_.empty()},
        Given{"--baselines", baselines_}, Given{"--unconfined", unconfined_},
        Given{"--kernel", kernel_file_.has_value()}, Given{"--replay", !replay_.empty()},
        Given{"--timeout", timeout_seconds_.has_value()}}) {
    if (is_given) require_kernel(problem, name);
  }
}

void Bench::add_incumbent(trial::Request& request, const cases::EditableFiles& others) const {
  if (against_) {
    request.incumbent =
        trial::is_of_command(request)
            ? incumbent_named(*against_, request.kernel_file, request.case_directory, others)
            : incumbent_named(*against_, request.kernel_file, others);
  }
  if (!min_gain_pct_) return;
  if (!request.incumbent) {
    throw Error(Stop::usage, "--min-gain needs --against, which names the kernel to compare with");
  }
  request.incumbent->min_gain = min_gain_of(*min_gain_pct_);
}

std::string Bench::kept_log(const trial::Request& request, const std::string& text,
                            const std::string& ptx, const Console& console) const {
  try {
    fs::path log;
    if (log_.empty()) {
      log = keep_log(request.case_directory, text);
    } else {
      write_log(log_, text);
      log = fs::absolute(log_);
    }
    keep_ptx(log, ptx);
    return log.string();
  } catch (const Error& error) {
    // The verdict stands without it.
    console.err << "autokernel: cannot keep the log: " << visible_line(error.what()) << '\n';
    return {};
  }
}

Bench::Measured Bench::measured(trial::Request& request, const trial::Limits& limits,
                                const Console& console, std::set<std::string>& warned) const {
  const Diagnostics diagnostics(verbose_ ? Diagnostics::Level::verbose : Diagnostics::Level::quiet);
  std::vector<std::string> notes;
  const auto note = [&](const std::string& line) {
    diagnostics.note(line);
    notes.push_back(line);
  };
  note("case " + request.case_directory.string() + ", size " + request.size + ", kernel " +
       request.kernel_file.string());

  if (request.incumbent) {
    const KnownNoise noise = known_noise(request.case_directory, request.size);
    for (const std::string& line : noise.ignored) {
      if (warned.insert(line).second) console.err << "autokernel: " << visible_line(line) << '\n';
    }
    request.noise = device_noise(noise);
  }
  const bool painted = console.err_is_terminal && !verbose_ && !quiet_;
  trial::Result result = [&] {
    Progress progress(console.err, painted ? Progress::Painting::on : Progress::Painting::off);
    trial::Observer observer;
    observer.progress = [&](auto phase, auto elapsed) { progress.show(phase, elapsed); };
    observer.note = note;
    observer.learned = [&](const trial::Result& known) { warn(console, known, warned); };
    trial::Result kernel =
        trial::supervise_with_retry(request, limits, observer, {.may_be_ready = !no_resident_});
    if (request.baselines && kernel.verdict == trial::Verdict::correct)
      add_baselines(request, limits, observer, kernel);
    return kernel;
  }();
  std::string log = kept_log(request, log_text(request, result, notes), result.ptx, console);
  return {std::move(result), std::move(log)};
}

// Each in a runner of its own, which it may take down with it.
void Bench::add_baselines(const trial::Request& request, const trial::Limits& limits,
                          const trial::Observer& observer, trial::Result& result) {
  const cases::Case problem = trial::case_of(request);
  for (const cases::BaselineProgram& baseline : problem.baselines) {
    trial::Request alone = request;
    alone.only_baseline = baseline.file.string();
    alone.incumbent.reset();
    try {
      trial::Result found = trial::supervise(alone, limits, observer);
      std::ranges::move(found.baselines, std::back_inserter(result.baselines));
      if (found.verdict != trial::Verdict::correct)
        result.warnings.push_back(
            fmt::format("the baseline {} is not timed: {}", baseline.file.string(), found.reason));
    } catch (const Error& error) {
      std::string what = error.what();
      // Where it was when it ended says nothing here.
      if (error.stop() != Stop::usage) what = what.substr(0, what.find(" while "));
      const bool names_it = what.find(baseline.file.string()) != std::string::npos;
      result.warnings.push_back(
          names_it ? what
                   : fmt::format("the baseline {} is not timed: {}", baseline.file.string(), what));
    }
  }
  if (result.baselines.empty() && problem.baselines.empty()) {
    result.warnings.emplace_back(
        "--baselines measured nothing: the case names none (baselines in case.toml), and "
        "cuBLASLt is timed on a GPU, for a product whose reference is cublas_gemm");
  }
}

int Bench::measure(const Console& console) const {
  const trial::Limits limits = limits_with(timeout_seconds_, {});
  trial::Request request = this->request(console);
  // Rather now than after the measurement.
  if (!log_.empty()) {
    refuse_to_overwrite_source(log_, "the log");
    write_log(log_, "autokernel bench: under way\n");
  }
  std::set<std::string> warned;
  const auto [result, log] = measured(request, limits, console, warned);
  if (json_) {
    console.out << trial::record(request, result, log);
  } else if (quiet_) {
    if (const auto known = figures(result)) {
      console.out << (result.metric ? fmt::format("{:.9g}\n", result.metric->value)
                                    : fmt::format("{:.3f}\n", known->times->median_us));
    } else {
      console.err << "autokernel: " << trial::spelling(result.verdict) << ": " << result.reason
                  << '\n';
    }
  } else {
    console.out << text_block(result, log);
    if (timings_) console.out << timings_block(result.timings);
  }
  console.out << std::flush;
  if (!no_resident_ && !trial::is_of_command(request)) {
    // One that the compiler could not cope with is not tried on it again for nothing.
    if (result.verdict != trial::Verdict::correct) {
      request.source.clear();
      request.files.clear();
    }
    trial::get_runner_ready(request);
  }
  return trial::finding(result).exit_code;
}

int Bench::measure_sizes(const Console& console) const {
  const trial::Limits limits = limits_with(timeout_seconds_, {});
  const trial::Request common = request(console);
  const cases::Case problem = trial::case_of(common);
  const SweepPlan plan{.sizes = sweep_sizes(problem, sweep_.value_or("")),
                       .has_incumbent = common.incumbent.has_value(),
                       .json = json_,
                       .plot = plot_,
                       .roofline = roofline_};
  require_drawable(plan);
  std::set<std::string> warned;
  const auto measure_size = [&](const std::string& size) {
    trial::Request request = common;
    request.size = size;
    auto [result, log] = measured(request, limits, console, warned);
    std::string record = trial::record(request, result, log);
    return SizeMeasured{std::move(result), std::move(record)};
  };
  return run_sweep(problem, plan, measure_size, console);
}

void Bench::require_one_purpose() const {
  if (!is_sweep()) {
    if (plot_.empty()) return;
    throw Error(Stop::usage, "--plot needs --sweep, which measures what is to be drawn");
  }
  struct Given {
    const char* name;
    bool is_given;
  };
  // --full checks at all sizes in one trial.
  const std::array of_one_trial = {Given{"--size", size_.has_value()},
                                   Given{"--full", full_},
                                   Given{"--baselines", baselines_},
                                   Given{"--replay", !replay_.empty()},
                                   Given{"--log", !log_.empty()},
                                   Given{"--timings", timings_},
                                   Given{"--quiet", quiet_}};
  for (const auto& [name, is_given] : of_one_trial) {
    if (!is_given) continue;
    throw Error(Stop::usage,
                fmt::format("{} is for one trial, and {} makes one for each size: leave out one "
                            "of the two",
                            name, sweep_ ? "--sweep" : "--roofline"));
  }
}

int Bench::run(const Console& console) {
  if (stages_) {
    for (const trial::Stage stage : trial::kStages) {
      console.out << fmt::format("{:<14} {}\n", trial::spelling(stage), trial::description(stage));
    }
    return 0;
  }
  try {
    require_one_purpose();
    return is_sweep() ? measure_sizes(console) : measure(console);
  } catch (const Error& error) {
    if (json_) console.out << trial::record(error);
    throw;
  } catch (const Interrupted& interrupted) {
    // The signal ends the program without its streams being written out. A sweep has said so
    // itself, with what it had measured.
    if (json_ && !is_sweep()) console.out << trial::record(interrupted) << std::flush;
    throw;
  }
}

std::unique_ptr<Command> bench_command() { return std::make_unique<Bench>(); }

}  // namespace autokernel::cli
