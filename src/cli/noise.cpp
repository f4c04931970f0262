// `autokernel noise`: a kernel measured against itself, and what that says of this machine.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/utc.h"
#include "autokernel/cases/case.h"
#include "autokernel/trial/result.h"
#include "autokernel/trial/sources.h"
#include "autokernel/trial/supervisor.h"
#include "autokernel/trial/verdicts.h"
#include "cli/commands.h"
#include "cli/default_case.h"
#include "cli/diagnostics.h"
#include "cli/kernel_case.h"
#include "cli/noise_store.h"
#include "cli/noise_text.h"
#include "cli/option_values.h"
#include "cli/place_options.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/shared_options.h"

namespace autokernel::cli {
namespace {

class Noise : public Command {
 public:
  [[nodiscard]] std::string name() const override { return "noise"; }
  [[nodiscard]] std::string summary() const override {
    return "Measure the noise of this machine, and the detectable gain";
  }
  void declare(Options options) override;
  [[nodiscard]] int run(const Console& console) override;

 private:
  [[nodiscard]] trial::Request request() const;

  std::optional<std::string> case_directory_;  // none: the nearest
  PlaceOptions device_;
  std::string size_ = "default";
  std::optional<double> min_gain_pct_;  // none: the device's
  double seconds_ = 30;
  bool json_ = false;
  bool verbose_ = false;
};

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr const char* kNoiseExamples = R"(Examples:
  autokernel noise
  autokernel noise --case kernels --seconds 120
  autokernel noise --device cpu --size check --json

The case's kernel.cu is timed against itself, in pairs, in several processes. The result is kept
for this device, driver, case and size, and used by 'bench --against' and 'loop' (docs/noise.md).
--seconds does not include starting, compiling and checking. Exit codes as for bench.)";

// In each process both kernels lie elsewhere, and a process holds the outputs of its launches until
// it has compared them.
constexpr double kSecondsPerProcess = 5;
// Where there is no memory for so many outputs, a process ends sooner, and there are more of them;
// but not without end.
constexpr int kMostProcesses = 4;  // in the place of one
// Less is not worth starting a process for.
constexpr double kShortestProcess = 0.5;
constexpr double kLongest = 3600;

// One process's pairs at the end of the recording.
void add_pairs(trial::NoiseRecording& recording, const trial::Times& times,
               const trial::Times& others) {
  const std::size_t pairs = std::min(times.samples_us.size(), others.samples_us.size());
  for (std::size_t i = 0; i < pairs; ++i) {
    recording.log_ratios.push_back(std::log(others.samples_us[i] / times.samples_us[i]));
    recording.times_us.push_back(times.samples_us[i]);
  }
}

// Until there are so many seconds of them, in one process after the other; into `report` goes the
// result of the last. Whether the kernel was correct.
[[nodiscard]] bool take_pairs(trial::Request& request, double seconds,
                              const trial::Observer& observer, NoiseReport& report,
                              trial::NoiseRecording& recording) {
  recording.most_pairs = trial::most_pairs_of_a_comparison();
  const double most_processes = kMostProcesses * std::ceil(seconds / kSecondsPerProcess);
  while (report.processes < most_processes) {
    const double left = seconds - recording.seconds;
    const bool enough = recording.log_ratios.size() >= trial::kFewestRecordedPairs;
    if (left < kShortestProcess && enough) break;
    const double asked =
        left < kShortestProcess ? kSecondsPerProcess : std::min(left, kSecondsPerProcess);
    request.recording_seconds = asked;
    report.result = trial::supervise(request, {}, observer);
    const trial::Result& result = report.result;
    if (result.verdict != trial::Verdict::correct || !result.times || !result.comparison) {
      return false;
    }
    ++report.processes;
    add_pairs(recording, *result.times, result.comparison->incumbent_times);
    recording.seconds += result.bench_seconds;
    // A process that stopped early had no memory for more outputs, and a comparison has none
    // either.
    constexpr double kEarly = 0.8;
    if (result.bench_seconds < kEarly * asked) {
      recording.most_pairs =
          std::min(recording.most_pairs, static_cast<int>(result.times->samples_us.size()));
    }
    request.checked = false;  // it has just been
  }
  return true;
}

}  // namespace

void Noise::declare(Options options) {
  options.footer(kNoiseExamples);
  add_case(options, case_directory_);
  device_.declare(options);
  add_size(options, size_);
  add_min_gain(options, min_gain_pct_, "for which false keeps are counted");
  options.add_option("--seconds", seconds_, "How long to take pairs [30]").type_name("SECONDS");
  options.add_flag("--json", json_, "Print one JSON object instead of text");
  options.add_flag("-v,--verbose", verbose_, "Report progress on standard error");
}

trial::Request Noise::request() const {
  trial::Request request;
  request.case_directory = fs::absolute(case_directory_ ? existing_case(*case_directory_)
                                                        : default_case(fs::current_path()));
  cases::CaseFiles files = cases::read_files(request.case_directory);
  const cases::Case problem = cases::parse(files);
  require_kernel(problem, "autokernel noise");
  request.kernel_file = problem.kernel_file();
  cases::KernelSource kernel =
      cases::read_kernel(request.kernel_file, problem.editable_files, "the kernel");
  trial::take_case(request, std::move(files));
  request.source = std::move(kernel.text);
  request.files = std::move(kernel.files);
  request.device = device_.choice();
  request.size = size_;
  request.samples = 1;  // as many as the pairs need
  request.incumbent = {
      .name = "itself", .source = request.source, .min_gain = {}, .files = request.files};
  if (min_gain_pct_) request.incumbent->min_gain = min_gain_of(*min_gain_pct_);
  return request;
}

int Noise::run(const Console& console) {
  if (!(seconds_ >= 1 && seconds_ <= kLongest)) {
    throw Error(Stop::usage, "--seconds takes 1 to 3600");
  }
  const Diagnostics diagnostics(verbose_ ? Diagnostics::Level::verbose : Diagnostics::Level::quiet);
  trial::Request request = this->request();
  Progress progress(console.err, console.err_is_terminal && !verbose_ ? Progress::Painting::on
                                                                      : Progress::Painting::off);
  trial::Observer observer;
  const auto begin = steady_clock::now();
  observer.progress = [&](auto /*phase*/, auto /*elapsed*/) {
    progress.show("measuring the noise", steady_clock::now() - begin);
  };
  observer.note = [&](const std::string& line) { diagnostics.note(line); };

  NoiseReport report;
  trial::NoiseRecording recording;
  if (!take_pairs(request, seconds_, observer, report, recording)) {
    console.out << text_block(report.result, "");
    console.err << "autokernel: cannot measure the noise: the kernel must be correct\n";
    return trial::finding(report.result.verdict).exit_code;
  }
  progress.show("computing the noise", steady_clock::now() - begin);
  if (recording.log_ratios.size() < trial::kFewestRecordedPairs) {
    throw Error(Stop::usage, fmt::format("cannot estimate the noise from {} pairs in {:g} s: raise "
                                         "--seconds, or use a smaller --size",
                                         recording.log_ratios.size(), seconds_));
  }

  const trial::DeviceReport device = report.result.device.value_or(trial::DeviceReport{});
  recording.longest_seconds =
      device.emulated ? trial::kPromisingSeconds : report.result.cap_seconds;
  StoredNoise& noise = report.noise;
  noise.device = device.name;
  noise.driver_version = report.result.versions["driver"];
  noise.case_directory = stored_case(request.case_directory);
  noise.size = size_;
  noise.at = utc_to_the_second();
  noise.figures = figures_of(
      recording, min_gain_pct_ ? min_gain_of(*min_gain_pct_) : trial::default_min_gain(device));
  std::optional<Error> not_stored;
  try {
    report.file = store_noise(request.case_directory, noise);
  } catch (const Error& error) {
    not_stored = error;  // what was measured is printed anyway
  }
  console.out << (json_ ? noise_json(report) : noise_text(report));
  if (not_stored) throw Error(*not_stored);
  return 0;
}

std::unique_ptr<Command> noise_command() { return std::make_unique<Noise>(); }

}  // namespace autokernel::cli
