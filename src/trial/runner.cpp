#include "autokernel/trial/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

#include "autokernel/base/defences.h"
#include "autokernel/base/error.h"
#include "autokernel/compile/compiler.h"
#include "autokernel/driver/device.h"
#include "trial/check.h"
#include "trial/cublas.h"
#include "trial/device_lock.h"
#include "trial/fp64_reference.h"
#include "trial/gpu_tools.h"
#include "trial/judge.h"
#include "trial/keys.h"
#include "trial/kinds.h"
#include "trial/openblas.h"
#include "trial/peak.h"
#include "trial/programs.h"
#include "trial/questions.h"
#include "trial/statistics.h"
#include "trial/time.h"
#include "trial/watch.h"

namespace autokernel::trial {
namespace {

using Clock = std::chrono::steady_clock;

// Tells the supervisor of each phase and notes how long it took.
class PhaseClock {
 public:
  explicit PhaseClock(const std::function<void(Phase)>& entered) : entered_(&entered) {}

  void enter(Phase phase) {
    stop();
    current_ = phase;
    begin_ = Clock::now();
    (*entered_)(phase);
  }
  void stop() {
    if (current_)
      seconds_[spelling(*current_)] = std::chrono::duration<double>(Clock::now() - begin_).count();
    current_.reset();
  }
  void leave_candidate() const { (*entered_)(Phase::harness); }
  // Work for which none of the candidate's code is loaded. Its time counts to the phase it is for.
  template <typename Work>
  auto without_candidate(Work work) {
    leave_candidate();
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      if (current_) (*entered_)(*current_);
    } else {
      auto done = work();
      if (current_) (*entered_)(*current_);
      return done;
    }
  }
  [[nodiscard]] const std::map<std::string, double>& seconds() const { return seconds_; }

 private:
  const std::function<void(Phase)>* entered_;
  std::optional<Phase> current_;
  Clock::time_point begin_;
  std::map<std::string, double> seconds_;
};

bool needs_library(const cases::Case& problem) {
  return std::holds_alternative<cases::GemmReference>(problem.reference) ||
         std::holds_alternative<cases::SumOfProducts>(problem.exactness);
}

// Before there are threads.
void set_driver_up() {
  // Loading all kernels of cuBLAS beforehand takes a second. Every kernel that is timed runs
  // unblocked before, so none is loaded behind a gate that only opens when all is queued.
  setenv("CUDA_MODULE_LOADING", "LAZY", 1);
  // What is measured is made from the source at hand, not found in a folder anyone can write to.
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  OpenBlas::let_idle_threads_sleep();
}

ResourceReport resources_of(const compile::Program& program) {
  ResourceReport report;
  for (const compile::Launch& launch : program.declaration.launches) {
    const auto found = program.resources.find(launch.kernel);
    if (found == program.resources.end()) continue;
    report.registers = std::max(report.registers, found->second.registers);
    report.spill_bytes = std::max(report.spill_bytes, found->second.spill_bytes);
    report.shared_bytes =
        std::max(report.shared_bytes, found->second.static_shared_bytes + launch.shared_bytes);
  }
  return report;
}

// One trial while it runs. Each step fills in what it learns; a rejection ends it.
class Trial {
 public:
  Trial(const Request& request, const std::function<void(Phase)>& entered,
        const std::function<void(const Result&)>& learned, const Telling& telling)
      : request_(request),
        learned_(learned),
        telling_(telling),
        problem_(cases::load(request.case_directory)),
        timed_size_(problem_, request.size),
        check_size_(problem_, kCheckSize),
        phases_(entered),
        keys_(request.keys) {
    result_.problem = cases::problem_line(problem_, timed_size_.sizes);
    result_.flops = cases::evaluate(problem_.flops, timed_size_.sizes);
    result_.bytes = cases::evaluate(problem_.bytes, timed_size_.sizes);
    result_.samples_wanted = request.samples.value_or(problem_.timing.samples);
    result_.cap_seconds = problem_.timing.cap_seconds;
  }

  [[nodiscard]] Result run() {
    try {
      if (auto rejected = run_phases()) {
        result_.verdict = rejected->verdict;
        result_.cause = rejected->cause;
        result_.reason = std::move(rejected->reason);
        result_.detail = std::move(rejected->detail);
      }
    } catch (...) {
      // What is left is to give everything back.
      phases_.leave_candidate();
      throw;
    }
    phases_.stop();
    result_.phase_seconds = phases_.seconds();
    result_.keys = keys_.drawn();
    return std::move(result_);
  }

 private:
  static constexpr const char* kCheckSize = "check";

  [[nodiscard]] std::optional<Rejection> run_phases() {
    phases_.enter(Phase::start);
    set_driver_up();
    std::shared_future<compile::Compiler> compiler =
        std::async(std::launch::async, compile::Compiler::open,
                   request_.cached ? compile::Caching::yes : compile::Caching::no)
            .share();
    const driver::Driver& driver = driver_.emplace(driver::Driver::open(request_.device));
    const std::string architecture = report_device(driver.info());
    refuse_unknown_device();
    plan_by_noise();
    if (learned_) learned_(result_);
    const auto device_lock = lock_device(driver.info(), [this] { phases_.enter(Phase::queue); });
    if (!device_lock) {
      result_.warnings.emplace_back(
          "other trials on this device may disturb this one: no lock could be made for it");
    }

    phases_.enter(Phase::compile);
    const SizedCase& checked = driver.info().emulated ? check_size_ : timed_size_;
    CompileTask task{&request_, &problem_, {&timed_size_}, architecture, !driver.info().emulated};
    if (checked.size_name != timed_size_.size_name) task.sizes.push_back(&checked);
    Compilations compilations(compiler, task);
    std::future<void> loading;
    if (needs_library(problem_) && !driver.info().emulated) {
      loading = std::async(std::launch::async, Cublas::load);
    }
    const driver::Device& device = device_.emplace(driver);
    if (telling_.whereabouts) answering_.emplace(device, telling_.whereabouts);
    if (!driver.info().emulated) nvml_.emplace(driver.info());
    if (loading.valid()) loading.get();
    device.refuse_device_malloc();
    open_library(device);
    auto compiled = compilations.wait();
    result_.versions["nvrtc"] = compiler.get().version();
    if (auto* rejected = std::get_if<Rejection>(&compiled)) return std::move(*rejected);
    const Programs programs = std::get<Programs>(std::move(compiled));
    const compile::Program& timed_program = programs.kernel.at(timed_size_.size_name);
    result_.resources = resources_of(timed_program);
    result_.warnings.insert(result_.warnings.end(), timed_program.warnings.begin(),
                            timed_program.warnings.end());
    result_.detail = timed_program.log;
    if (timed_program.from_cache) result_.detail += "\nThe above is from the compile cache.\n";

    tell_code(programs.kernel.at(request_.checked ? checked.size_name : timed_size_.size_name));
    phases_.enter(Phase::check);
    // A kernel that fails its checks needs none.
    std::unique_ptr<Stopwatch> stopwatch;
    std::unique_ptr<Rival> rival;
    if (programs.opponent && request_.against) {
      phases_.without_candidate([&] {
        stopwatch = make_stopwatch(device, programs);
        rival = make_rival(*programs.opponent, *request_.against, *stopwatch);
      });
    }
    if (request_.checked) {
      if (auto rejected = check(device, programs, checked)) return rejected;
    }
    tell_code(timed_program);
    phases_.enter(Phase::time);
    if (!stopwatch) {
      phases_.without_candidate([&] { stopwatch = make_stopwatch(device, programs); });
    }
    return time(device, programs, *stopwatch, rival.get());
  }

  void tell_code(const compile::Program& program) const {
    // More than this nobody reads, and a message has to end.
    constexpr std::size_t kLongestPtx = std::size_t{4} << 20U;
    if (telling_.code) telling_.code(program.ptx.substr(0, kLongestPtx));
  }

  [[nodiscard]] std::string report_device(const driver::DeviceInfo& info) {
    std::string architecture = request_.architecture;
    if (architecture.empty()) architecture = architecture_of(info.major, info.minor);
    Capability capability = capability_of(architecture);
    // An emulated device is what it is asked to be; a GPU stays what it is.
    if (!info.emulated) capability = {info.major, info.minor};
    result_.device = DeviceReport{info.name, capability.major, capability.minor, info.emulated};
    result_.versions["driver"] = info.driver_version;
    result_.peak_tflops = peak_tflops(info, problem_);
    result_.peak_gbytes_s = driver::peak_gbytes_s(info);
    return architecture;
  }

  void refuse_unknown_device() const {
    if (!request_.known_device) return;
    const KnownDevice& known = *request_.known_device;
    const std::string& driver = result_.versions.at("driver");
    const std::string name = result_.device.value_or(DeviceReport{}).name;
    if (known.name == name && known.driver_version == driver) return;
    throw Error(Stop::environment,
                "times measured on " + known.name + " (driver " + known.driver_version +
                    ") cannot be compared with times on " + name + " (driver " + driver + ")");
  }

  // The least gain that counts as one.
  [[nodiscard]] double wanted_gain() const {
    if (request_.against && request_.against->min_gain) return *request_.against->min_gain;
    return least_gain(result_.device.value_or(DeviceReport{}));
  }

  // What the noise of this very device says of the comparison that is asked for.
  void plan_by_noise() {
    if (!request_.against) return;
    const KnownDevice here{result_.device.value_or(DeviceReport{}).name,
                           result_.versions.at("driver")};
    for (const DeviceNoise& noise : request_.noise) {
      if (noise.device != here.name || noise.driver_version != here.driver_version) continue;
      noise_ = noise;
      std::string warning = out_of_reach(noise, wanted_gain());
      if (!warning.empty()) result_.warnings.push_back(std::move(warning));
      return;
    }
  }

  void open_library(const driver::Device& device) {
    if (!needs_library(problem_)) return;
    if (device.info().emulated) {
      openblas_ = OpenBlas::open();
    } else {
      cublas_ = Cublas::open(device);
    }
    result_.versions["reference"] = library()->version();
  }

  [[nodiscard]] Library* library() const {
    if (openblas_) return openblas_.get();
    return cublas_.get();
  }

  // Only for as long as no candidate is loaded.
  [[nodiscard]] std::unique_ptr<Reference> make_reference(const driver::Device& device,
                                                          const Programs& programs) const {
    if (const auto* gemm = std::get_if<cases::GemmReference>(&problem_.reference)) {
      return std::make_unique<LibraryReference>(*library(), *gemm);
    }
    return std::make_unique<KernelReference>(device, programs.reference);
  }

  [[nodiscard]] std::optional<Rejection> judge(const driver::Device& device,
                                               const Programs& programs,
                                               std::span<const LaunchRecord> launches) {
    return phases_.without_candidate([&] { return judge_all(device, programs, launches); });
  }

  [[nodiscard]] std::optional<Rejection> judge_all(const driver::Device& device,
                                                   const Programs& programs,
                                                   std::span<const LaunchRecord> launches) {
    const auto reference = make_reference(device, programs);
    std::optional<Fp64Reference> fp64;
    if (!programs.fp64_reference.empty()) fp64.emplace(device, programs.fp64_reference);
    Judge judge(*reference, library(), maker_, fp64 ? &*fp64 : nullptr);
    auto rejected = judge.judge(launches);
    if (!result_.differences) result_.differences.emplace();
    result_.differences->max_abs =
        std::max(result_.differences->max_abs, judge.differences().max_abs);
    result_.differences->max_rel =
        std::max(result_.differences->max_rel, judge.differences().max_rel);
    for (const std::string& note : judge.notes()) result_.warnings.push_back(note);
    return rejected;
  }

  [[nodiscard]] std::optional<Rejection> check(const driver::Device& device,
                                               const Programs& programs, const SizedCase& sized) {
    Checked checked;
    {
      auto loading = Candidate::load(device, programs.kernel.at(sized.size_name));
      if (auto* rejected = std::get_if<Rejection>(&loading)) {
        if (programs.gpu_tools) require_loadable(device, *programs.gpu_tools);
        return std::move(*rejected);
      }
      const auto& candidate = std::get<Candidate>(loading);
      Launcher launcher(device, candidate, sized, maker_, 1);
      checked = run_checks(launcher, sized, keys_);
    }
    if (auto* rejected = std::get_if<Rejection>(&checked)) return std::move(*rejected);
    const auto& launches = std::get<std::vector<LaunchRecord>>(checked);
    if (auto rejected = judge(device, programs, launches)) return rejected;
    if (must_repeat(problem_) && stands(Defence::repeats)) return differing_repeats(launches);
    return std::nullopt;
  }

  [[nodiscard]] std::unique_ptr<Stopwatch> make_stopwatch(const driver::Device& device,
                                                          const Programs& programs) {
    watch_ = nvml_ ? watch_gpu(std::move(*nvml_).readings()) : watch_host();
    TimingTask task{device, timed_size_, maker_, keys_, result_.samples_wanted, *watch_};
    task.recording_seconds = request_.recording_seconds;
    if (noise_) {
      task.open_seconds = seconds_to_look_faster(*noise_, wanted_gain(), kPromisingSeconds);
    }
    // The harness's kernels are compiled where there is a GPU.
    if (programs.gpu_tools) return gpu_stopwatch(task, cublas_.get(), *programs.gpu_tools);
    return emulated_stopwatch(task, openblas_.get());
  }

  // Who is slower on one kind of inputs is as slow as that.
  [[nodiscard]] std::vector<double> counted(std::vector<double> samples_us,
                                            const std::vector<Recipe>& sampled_on) {
    std::vector<double> logs;
    logs.reserve(samples_us.size());
    for (const double sample : samples_us) logs.push_back(-std::log(sample));
    const auto kind = lesser_kind(logs, sampled_on);
    if (!kind) return samples_us;
    result_.warnings.push_back(
        fmt::format("it is slower on {} than on others: its times are those on {}", name_of(*kind),
                    name_of(*kind)));
    return of_kind(*kind, samples_us, sampled_on);
  }

  // Loads the opponent, and times it before any of the candidate's code is there.
  [[nodiscard]] std::unique_ptr<Rival> make_rival(const compile::Program& program,
                                                  const Opponent& opponent,
                                                  Stopwatch& stopwatch) const {
    auto rival = std::make_unique<Rival>(Rival{program, Pairing(opponent.name, wanted_gain())});
    time_alone(*rival, stopwatch);
    return rival;
  }

  static void time_alone(Rival& rival, Stopwatch& stopwatch) {
    if (const auto rejected = stopwatch.time_alone(rival)) {
      throw Error(Stop::usage, "cannot compare with " + rival.pairing.against() +
                                   ", which does not run: " + rejected->reason);
    }
  }

  [[nodiscard]] std::optional<Rejection> time(const driver::Device& device,
                                              const Programs& programs, Stopwatch& stopwatch,
                                              Rival* rival) {
    Timing timing = stopwatch.time(programs.kernel.at(timed_size_.size_name), rival);
    if (auto* rejected = std::get_if<Rejection>(&timing)) return std::move(*rejected);
    if (rival != nullptr) {
      phases_.without_candidate([&] { time_alone(*rival, stopwatch); });
    }
    const std::string unclean = note_conditions();
    auto& timed = std::get<Timed>(timing);
    result_.bench_seconds = timed.seconds;
    result_.cap_seconds = timed.cap_seconds;
    for (std::string& warning : timed.warnings) result_.warnings.push_back(std::move(warning));
    if (stands(Defence::compared_timed_launches)) {
      if (auto rejected = judge(device, programs, timed.records)) return rejected;
    }
    // Only now: times of a kernel that is wrong mean nothing.
    result_.times = summarise(counted(std::move(timed.samples_us), timed.sampled_on));
    if (rival != nullptr) {
      result_.comparison = rival->pairing.comparison();
      if (!unclean.empty()) doubt(*result_.comparison, unclean);
    }
    if (!timed.library_us.empty()) result_.reference = summarise(std::move(timed.library_us));
    result_.warm_us = timed.warm_us;
    result_.reference_default_us = timed.library_default_us;
    result_.event_floor_us = timed.event_floor_us;
    result_.event_tick_us = timed.event_tick_us;
    return std::nullopt;
  }

  // Why nothing can be concluded from the times; empty: it can.
  [[nodiscard]] std::string note_conditions() {
    result_.conditions = watch_->conditions();
    const std::vector<std::string> warnings = warnings_of(*result_.conditions);
    result_.warnings.insert(result_.warnings.end(), warnings.begin(), warnings.end());
    return result_.conditions->unclean;
  }

  const Request& request_;
  const std::function<void(const Result&)>& learned_;
  const Telling& telling_;
  const cases::Case problem_;
  const SizedCase timed_size_;
  const SizedCase check_size_;
  PhaseClock phases_;
  Result result_;
  Keys keys_;
  InputMaker maker_;
  // Before the libraries, which give their memory back to the device when they go.
  std::optional<driver::Driver> driver_;
  std::optional<driver::Device> device_;
  std::unique_ptr<OpenBlas> openblas_;
  std::unique_ptr<Cublas> cublas_;
  std::optional<DeviceNoise> noise_;  // of this device, where it is known
  std::optional<NvmlOpening> nvml_;   // of a GPU, until the stopwatch is made
  std::unique_ptr<Watch> watch_;      // from then on
  std::optional<Answering> answering_;
};

}  // namespace

Result run_trial(const Request& request, const std::function<void(Phase)>& entered,
                 const std::function<void(const Result&)>& learned,
                 const std::function<void(const Result&)>& answered, const Telling& telling) {
  Trial trial(request, entered, learned, telling);
  Result result = trial.run();
  if (answered) answered(result);
  return result;
}

}  // namespace autokernel::trial
