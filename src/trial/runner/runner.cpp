#include "autokernel/trial/runner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <memory>
#include <utility>

#include "autokernel/base/defences.h"
#include "autokernel/base/error.h"
#include "autokernel/compile/image_front_end.h"
#include "autokernel/driver/device.h"
#include "autokernel/trial/other_device.h"
#include "autokernel/trial/ready_kernel.h"
#include "autokernel/trial/sources.h"
#include "trial/blas/cublas.h"
#include "trial/blas/openblas.h"
#include "trial/check/check_plan.h"
#include "trial/check/device_judge.h"
#include "trial/check/fp64_reference.h"
#include "trial/check/judge.h"
#include "trial/check/python_reference.h"
#include "trial/decide/input_dependence.h"
#include "trial/decide/statistics.h"
#include "trial/runner/compilations.h"
#include "trial/runner/confirmation.h"
#include "trial/runner/driver_settings.h"
#include "trial/runner/launcher_session.h"
#include "trial/runner/phase_clock.h"
#include "trial/runner/stage_book.h"
#include "trial/runner/timeline.h"
#include "trial/supervise/lending_message.h"
#include "trial/supervise/surroundings.h"
#include "trial/time/baselines.h"
#include "trial/time/device_lock.h"
#include "trial/time/device_monitor.h"
#include "trial/time/peak.h"
#include "trial/time/plausible_times.h"
#include "trial/time/process_conditions.h"
#include "trial/time/reference_time.h"

namespace autokernel::trial {
namespace {

bool needs_library(const cases::Case& problem) {
  return std::holds_alternative<cases::GemmReference>(problem.reference) ||
         std::holds_alternative<cases::SumOfProducts>(problem.exactness);
}

// Why it is not checked at a size that nobody asked to be timed; empty where it is.
std::string too_large(const SizedCase& size, const driver::DeviceInfo& device) {
  std::uint64_t bytes = 0;
  for (const SizedTensor& tensor : size.tensors) bytes += tensor.bytes;
  if (!device.emulated) {
    // A second or so of a kernel that nobody has made fast, and as much for a reference in fp64.
    constexpr double kMostOperationsOnGpu = 5e11;
    if (cases::flops_at(*size.problem, size.size_name) > kMostOperationsOnGpu)
      return "more than 5 * 10^11 operations";
    // The references take as much again, and more in fp64.
    return bytes <= device.memory_bytes / 4 ? "" : "more than a quarter of the GPU's memory";
  }
  // A second or so of a processor's time, and as much for the reference.
  constexpr double kMostOperations = 1e9;
  if (cases::flops_at(*size.problem, size.size_name) > kMostOperations)
    return "more than 10^9 operations on the emulated device";
  constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20U;
  return bytes <= kMostBytes ? "" : "more than 64 MiB of tensors on the emulated device";
}

// Where a kernel is checked on the emulated device before it is timed: at the small size, or where
// that has other types, at the one with the fewest operations that has the same.
std::string check_size_for(const cases::Case& problem, const std::string& timed) {
  constexpr const char* kCheckSize = "check";
  const auto types = problem.types.find(timed);
  if (types == problem.types.end() || problem.types.at(kCheckSize) == types->second)
    return kCheckSize;
  std::string least = timed;
  for (const std::string& size : cases::size_names(problem)) {
    if (is_edge(size) || problem.types.at(size) != types->second) continue;
    if (cases::flops_at(problem, size) < cases::flops_at(problem, least)) least = size;
  }
  return least;
}

bool has_reference_kernel(const cases::Case& problem) {
  return std::holds_alternative<cases::KernelReference>(problem.reference);
}

}  // namespace

// What a trial tells while it runs; all must live longer.
struct Listeners {
  const std::function<void(Phase)>& entered;
  const std::function<void(const Result&)>& learned;
  const RunnerObserver& observer;
};

// One trial while it runs. Each step fills in what it learns; a rejection ends it.
class TrialRun : private SessionListener {
 public:
  TrialRun(const Request& request, const RunnerCommand& launcher)
      : request_(request),
        launcher_command_(launcher),
        problem_(case_of(request)),
        timed_size_(problem_, request.size),
        check_size_(problem_, check_size_for(problem_, request.size)) {
    maker_.read_captured(problem_);
  }

  // Whether it can be the trial of that request, although it was made for another.
  [[nodiscard]] bool suits(const Request& request) const {
    return digest_of({.variables = {}, .directory = {}, .expected = request}) ==
           digest_of({.variables = {}, .directory = {}, .expected = request_});
  }

  // Gets ready for a trial of that request, which suits. Throws where that fails.
  void expect(const Request& request) {
    request_ = request;
    has_expected_ = true;
    set_driver_up();
    if (!session_) start_session();
    if (!driver_) open_driver();
    plan_further_sizes();
    const std::string architecture = report_device(driver_->info());
    // What it takes to open a device would disturb whoever measures on it.
    std::optional<FileLock> lock;
    if (!is_ready_) lock = lock_device(driver_->info(), [] {});
    prepare_references(architecture);
    if (!session_->expect(task(architecture)))
      throw Error(Stop::internal, "the launcher did not get ready");
    be_ready();
  }

  // Nothing of it is needed any more.
  void end_launcher() const {
    if (session_) session_->dismiss();
  }

  [[nodiscard]] Result run(const Request& request, const Listeners& listeners) {
    request_ = request;
    listeners_ = &listeners;
    phases_.tell(listeners.entered);
    keys_ = std::make_unique<Keys>(request.keys);
    timeline_.clear();
    result_ = {};
    result_.problem = cases::problem_line(problem_, timed_size_.size_name);
    result_.flops = cases::flops_at(problem_, timed_size_.size_name);
    result_.bytes = cases::bytes_at(problem_, timed_size_.size_name);
    result_.samples_wanted = request.samples.value_or(problem_.timing.samples);
    result_.cap_seconds = problem_.timing.cap_seconds;
    try {
      auto rejected = run_phases();
      result_.stages = rejected ? stages_.failed(rejected->reason) : stages_.passed();
      if (rejected) {
        result_.verdict = rejected->verdict;
        result_.cause = rejected->cause;
        result_.reason = std::move(rejected->reason);
        // Behind what the compiler said, where it came that far.
        if (!result_.detail.empty() && !rejected->detail.empty()) result_.detail += '\n';
        result_.detail += rejected->detail;
      }
    } catch (...) {
      // What is left is to give everything back.
      phases_.leave_candidate();
      throw;
    }
    phases_.stop();
    result_.phase_seconds = phases_.seconds();
    result_.keys = keys_->drawn();
    result_.timings = timeline_.spans();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::optional<Rejection> run_phases() {
    phases_.enter(Phase::start);
    set_driver_up();
    launcher_began_ = Timeline::Clock::now();
    if (!request_.only_baseline.empty()) {
      if (!driver_) open_driver();
      time_only_baseline();
      return std::nullopt;
    }
    if (!session_ || !session_->is_waiting()) start_session();
    if (!driver_) open_driver();
    plan_further_sizes();
    plan_ = check_plan(checked_sizes(), request_.depth);
    stages_ = StageBook(request_.depth, plan_, size_notes_);
    result_.stages = stages_.under_way();
    const driver::Driver& driver = *driver_;
    const std::string architecture = report_device(driver.info());
    refuse_unknown_device();
    plan_by_noise();
    plan_cap();
    if (has_known_inputs(problem_)) {
      result_.warnings.emplace_back(
          "all inputs are as captured, and none can be drawn anew: a kernel could hold their "
          "results");
    }
    if (problem_.may_be_wrong > 0) {
      result_.warnings.push_back(
          fmt::format("the case lets {:.3g} % of the elements of a result be wrong",
                      100 * problem_.may_be_wrong));
    }
    if (listeners_->learned) listeners_->learned(result_);
    const auto device_lock = timeline_.around("wait for the device", [&] {
      return lock_device(driver.info(), [this] { phases_.enter(Phase::queue); });
    });
    if (!device_lock) {
      result_.warnings.emplace_back(
          "other trials on this device may disturb this one: the device could not be locked");
    }

    phases_.enter(Phase::compile);
    task_ = task(architecture);
    assign();
    prepare_references(architecture);
    Timing timing = session_->follow(*this);
    // It may have been lost to the compiling of something else.
    if (has_expected_ && session_->lost_in() == Phase::compile) {
      start_session();
      assign();
      timing = session_->follow(*this);
    }
    if (auto* rejected = std::get_if<Rejection>(&timing)) {
      result_.lost_in = session_->lost_in();
      return std::move(*rejected);
    }
    phases_.leave_candidate();
    return conclude_times(std::get<Timed>(timing));
  }

  [[nodiscard]] Preparation preparation() const { return {request_.device, request_.cached}; }

  void start_session() {
    std::size_t outbox_bytes = std::max(timed_size_.output_bytes(), check_size_.output_bytes());
    if (request_.depth == Depth::full) {
      for (const auto& [name, symbols] : problem_.sizes) {
        outbox_bytes = std::max(outbox_bytes, SizedCase(problem_, name).output_bytes());
      }
    }
    session_ = std::make_unique<LauncherSession>(launcher_command_, outbox_bytes, preparation());
  }
  void assign() {
    session_->assign(task_, driver_->info(), checked_sizes(), *keys_);
    assigned_ = Timeline::Clock::now();
  }
  void open_driver() {
    if (has_reference_kernel(problem_)) front_end_ = open_front_end(request_.cached);
    timeline_.around("open the driver", [this] {
      driver_ = std::make_unique<driver::Driver>(driver::Driver::open(request_.device));
    });
  }
  [[nodiscard]] const SizedCase& checked_size() const {
    return on_gpu() ? timed_size_ : check_size_;
  }
  [[nodiscard]] CheckedSizes checked_sizes() const {
    CheckedSizes sizes{&checked_size(), &timed_size_};
    for (const auto& size : further_) sizes.further.push_back(size.get());
    return sizes;
  }
  void plan_further_sizes() {
    if (request_.depth != Depth::full || !further_.empty()) return;
    std::map<std::pair<Stage, std::string>, std::string> left_out;
    for (const auto& [name, symbols] : problem_.sizes) {
      if (name == timed_size_.size_name || name == checked_size().size_name) continue;
      auto size = std::make_unique<SizedCase>(problem_, name);
      const std::string why = too_large(*size, driver_->info());
      if (why.empty()) {
        further_.push_back(std::move(size));
      } else {
        std::string& names = left_out[{is_edge(name) ? Stage::edge_sizes : Stage::sizes, why}];
        names += (names.empty() ? "" : ", ") + name;
      }
    }
    size_notes_.clear();
    for (const auto& [of, names] : left_out) {
      std::string& note = size_notes_[of.first];
      note += (note.empty() ? "without " : "; without ") + names + ": " + of.second;
    }
  }

  [[nodiscard]] LaunchTask task(const std::string& architecture) const {
    LaunchTask task;
    task.problem = blinded(problem_);
    task.kernel_name = request_.kernel_file.filename().string();
    task.source = request_.source;
    task.files = request_.files;
    task.incumbent = request_.incumbent;
    take_original(task.source, task.files);
    if (task.incumbent) take_original(task.incumbent->source, task.incumbent->files);
    if (task.incumbent) task.incumbent->min_gain = required_gain();
    task.headers = request_.headers;
    task.kernel_headers = request_.kernel_headers;
    task.flags = problem_.compile.flags;
    task.compiler = external_compiler(problem_, task.kernel_name, request_.python);
    if (task.incumbent) {
      if (task.incumbent->kernel_name.empty()) task.incumbent->kernel_name = task.kernel_name;
      task.incumbent_compiler =
          external_compiler(problem_, task.incumbent->kernel_name, request_.python);
    }
    task.architecture = architecture;
    task.check_size = checked_size().size_name;
    task.timed_size = timed_size_.size_name;
    for (const auto& size : further_) task.further_sizes.push_back(size->size_name);
    task.depth = request_.depth;
    task.checked = request_.checked;
    task.confined = request_.confined;
    task.samples = request_.samples.value_or(problem_.timing.samples);
    task.recording_seconds = request_.recording_seconds;
    task.open_seconds = open_seconds();
    task.keeps_outputs_on_device = judges_on_device();
    return task;
  }

  // A kernel that asks for the captured one is that. One that describes an image of its own is
  // none: behind an empty line a description is CUDA C++ that does not compile.
  void take_original(std::string& source, std::map<std::string, std::string>& files) const {
    if (compile::is_image_description(source)) source.insert(0, "\n");
    const auto* reference = std::get_if<cases::KernelReference>(&problem_.reference);
    if (reference == nullptr || reference->images.empty() || !compile::asks_for_original(source)) {
      return;
    }
    source = reference->source;
    files = reference->images;
  }

  // While the launcher compiles: whatever it takes to judge.
  void prepare_references(const std::string& architecture) {
    if (compilations_) return;
    if (std::holds_alternative<cases::PythonReference>(problem_.reference))
      python_ = std::make_unique<PythonProcess>(problem_, request_.python);
    const SizedCase& checked = checked_size();
    std::vector<const SizedCase*> sizes = {&timed_size_};
    if (checked.size_name != timed_size_.size_name) sizes.push_back(&checked);
    for (const auto& size : further_) sizes.push_back(size.get());
    compilations_ = std::make_unique<ReferenceCompilations>(
        front_end_, problem_, sizes,
        Building{architecture, chosen(request_.headers, request_.reference_headers), {}},
        ReferenceCompilations::Wanted{.judging = judges_on_device(), .gpu_tools = on_gpu()});
    if (on_gpu()) {
      nvml_ = std::make_unique<NvmlOpening>(driver_->info());
      if (needs_library(problem_)) loading_ = std::async(std::launch::async, Cublas::load);
    }
    if (!on_gpu()) prepare_device();
  }

  // In a thread of its own; OpenBLAS needs no device.
  void prepare_device() {
    if (preparing_.valid() || is_ready_) return;
    preparing_ = std::async(std::launch::async, [this] {
      if (on_gpu() || has_reference_kernel(problem_)) {
        timeline_.around("open the device of the reference",
                         [this] { device_ = std::make_unique<driver::Device>(*driver_); });
      }
      timeline_.around("open the library", [this] {
        if (loading_.valid()) loading_.get();
        open_library();
      });
      timeline_.around("compile the reference", [this] { references_ = compilations_->wait(); });
      if (cublas_) timeline_.around("load the library's kernels", [this] { load_its_kernels(); });
      if (references_.judging) {
        judging_ = std::make_unique<JudgingKernels>(*device_, *references_.judging, maker_);
      }
    });
  }
  // cuBLAS loads a kernel when it is first used, which takes as long as making a context.
  void load_its_kernels() const {
    if (!std::holds_alternative<cases::GemmReference>(problem_.reference)) return;
    std::vector<Bytes> zeros;
    zeros.reserve(timed_size_.tensors.size());
    for (const SizedTensor& tensor : timed_size_.tensors) zeros.emplace_back(tensor.bytes);
    static_cast<void>(make_reference()->expected(timed_size_, zeros));
  }

  // From here on everything is there that it takes to judge, and nothing is at work.
  void be_ready() {
    prepare_device();
    if (!is_ready_) timeline_.around("wait for the reference", [this] { preparing_.get(); });
    is_ready_ = true;
    if (library() != nullptr) result_.versions["reference"] = library()->version();
    if (device_) device_->make_current();
  }

  [[nodiscard]] bool on_gpu() const { return !driver_->info().emulated; }
  [[nodiscard]] bool judges_on_device() const {
    return on_gpu() && JudgingKernels::suit(problem_) && stands(Defence::case_inputs) &&
           stands(Defence::every_element);
  }
  [[nodiscard]] const driver::Device* judging_device() override {
    return judges_on_device() ? device_.get() : nullptr;
  }

  void entered(Phase phase) override {
    phases_.follow(phase);
    if (phase == Phase::check && !checks_began_) checks_began_ = Timeline::Clock::now();
    if (phase == Phase::time && !timing_began_) timing_began_ = Timeline::Clock::now();
  }
  void code_is(const Code& code) override {
    // The last is that which is timed.
    result_.unit = unit_of(code.ptx, *timed_size_.problem);
    result_.unit_tflops =
        result_.unit ? driver::peak_tflops(driver_->info(), *result_.unit) : std::nullopt;
    if (listeners_->observer.code) listeners_->observer.code(code.ptx);
  }
  void stands_at(const Whereabouts& whereabouts) override {
    if (listeners_->observer.whereabouts) listeners_->observer.whereabouts(whereabouts.text);
  }
  void opened() override {
    timeline_.add("start a process and open the device", launcher_began_);
    prepare_device();
  }
  void compiled(Compiled& compiled) override {
    timeline_.add("compile", assigned_);
    result_.versions["nvrtc"] = std::move(compiled.nvrtc);
    result_.resources = compiled.resources;
    result_.warnings.insert(result_.warnings.end(), compiled.warnings.begin(),
                            compiled.warnings.end());
    result_.detail = std::move(compiled.log);
    // The incumbent is timed first of all. What stays on the device goes to where it is judged.
    if (!request_.incumbent && !judges_on_device()) return;
    phases_.leave_candidate();
    be_ready();
  }
  void begins(const std::string& launch) override {
    const auto named = named_launch(launch);
    const bool is_judged =
        named && (named->kind == LaunchKind::check || named->kind == LaunchKind::timed);
    if (!is_judged || !stages_.enter(stage_of_launch(launch))) return;
    result_.stages = stages_.under_way();
    if (listeners_->learned) listeners_->learned(result_);
  }
  [[nodiscard]] Stage stage_of_launch(const std::string& launch) const {
    const auto named = named_launch(launch);
    if (!named || named->kind != LaunchKind::check) return Stage::timed_outputs;
    const auto check = std::ranges::find_if(
        plan_, [&](const Check& one) { return named->number < one.first + one.launches; });
    return check == plan_.end() ? Stage::timed_outputs : stage_of(*check, named->number);
  }
  [[nodiscard]] bool is_judged(const Delivered& /*delivered*/) override { return true; }
  void launch_over() override { monitor().look(); }
  [[nodiscard]] bool counts(const SampleTaken& sample) override {
    return monitor().counts(sample.repeatable);
  }
  [[nodiscard]] std::optional<Rejection> batch_done(LaunchAccount& account) override {
    // The launcher waits: what goes wrong until it is answered is no doing of the candidate's.
    phases_.leave_candidate();
    be_ready();
    const std::vector<LaunchRecord> launches = account.take_records();
    if (account.is_timing() && !stands(Defence::compared_timed_launches)) return std::nullopt;
    return judge_all(launches);
  }
  [[nodiscard]] std::optional<Rejection> checked(LaunchAccount& account) override {
    phases_.leave_candidate();
    if (checks_began_) timeline_.add("launches that are checked", *checks_began_);
    be_ready();
    // From here on until it has timed the kernel.
    static_cast<void>(monitor());
    return request_.checked ? judge_all(account.take_records()) : std::nullopt;
  }
  void timed() override {
    if (timing_began_) timeline_.add("launches that are timed", *timing_began_);
    note_conditions();
  }

  [[nodiscard]] std::string report_device(const driver::DeviceInfo& info) {
    std::string architecture = request_.architecture;
    if (architecture.empty()) architecture = architecture_of(info.major, info.minor);
    Capability capability = capability_of(architecture);
    // An emulated device is what it is asked to be; a GPU stays what it is.
    if (!info.emulated) capability = {info.major, info.minor};
    result_.device = DeviceReport{info.name, capability.major, capability.minor, info.emulated};
    result_.versions["driver"] = info.driver_version;
    result_.peak_tflops = peak_tflops(info, *timed_size_.problem);
    result_.peak_gbytes_s = driver::peak_gbytes_s(info);
    return architecture;
  }

  void refuse_unknown_device() const {
    if (!request_.known_device) return;
    const KnownDevice& known = *request_.known_device;
    const std::string& driver = result_.versions.at("driver");
    const std::string name = result_.device.value_or(DeviceReport{}).name;
    if (known.name == name && known.driver_version == driver) return;
    throw OtherDevice("times measured on " + known.name + " (driver " + known.driver_version +
                      ") cannot be compared with times on " + name + " (driver " + driver + ")");
  }

  // The minimum gain that counts as one.
  [[nodiscard]] double required_gain() const {
    if (request_.incumbent && request_.incumbent->min_gain) return *request_.incumbent->min_gain;
    return default_min_gain(result_.device.value_or(DeviceReport{}));
  }

  // What the noise of this very device says of the comparison that is asked for.
  void plan_by_noise() {
    if (!request_.incumbent) return;
    const KnownDevice here{result_.device.value_or(DeviceReport{}).name,
                           result_.versions.at("driver")};
    for (const DeviceNoise& noise : request_.noise) {
      if (noise.device != here.name || noise.driver_version != here.driver_version) continue;
      noise_ = noise;
      std::string warning = out_of_reach(noise, required_gain());
      if (!warning.empty()) result_.warnings.push_back(std::move(warning));
      return;
    }
  }

  // How long samples are taken, which the launcher works out in the same way.
  void plan_cap() {
    if (on_gpu()) return;  // the case's
    result_.cap_seconds = request_.incumbent ? emulated_open_seconds(problem_, open_seconds())
                                             : emulated_cap_seconds(problem_);
  }

  // How long pairs that do not look like a gain are worth, where the noise of the device is known.
  [[nodiscard]] std::optional<double> open_seconds() const {
    if (!noise_) return std::nullopt;
    return seconds_to_look_faster(*noise_, required_gain(), kPromisingSeconds);
  }

  void open_library() {
    if (!needs_library(problem_)) return;
    if (driver_->info().emulated) {
      openblas_ = OpenBlas::open();
    } else {
      cublas_ = Cublas::open(*device_);
    }
  }

  [[nodiscard]] Library* library() const {
    if (openblas_) return openblas_.get();
    return cublas_.get();
  }

  [[nodiscard]] std::unique_ptr<Reference> make_reference() const {
    if (const auto* gemm = std::get_if<cases::GemmReference>(&problem_.reference)) {
      return std::make_unique<LibraryReference>(*library(), *gemm);
    }
    if (python_) return std::make_unique<PythonReference>(*python_);
    return std::make_unique<KernelReference>(*device_, references_.programs);
  }

  [[nodiscard]] std::optional<Rejection> judge_all(const std::vector<LaunchRecord>& launches) {
    if (auto rejected = judge(launches)) return rejected;
    if (!must_repeat(problem_) || !stands(Defence::repeats)) return std::nullopt;
    auto differing = differing_repeats(launches, judging_.get());
    if (differing) stages_.judged_wrong(Stage::determinism);
    return differing;
  }
  // While the launcher waits, or has ended: nothing is timed on a GPU then.
  [[nodiscard]] std::optional<Rejection> judge(std::span<const LaunchRecord> launches) {
    return timeline_.around("judge their outputs", [&] { return judge_unnoted(launches); });
  }
  [[nodiscard]] std::optional<Rejection> judge_unnoted(std::span<const LaunchRecord> launches) {
    const auto reference = make_reference();
    std::optional<Fp64Reference> fp64;
    if (!references_.fp64_programs.empty()) fp64.emplace(*device_, references_.fp64_programs);
    std::optional<DeviceJudge> on_device;
    if (auto* const kernel = dynamic_cast<KernelReference*>(reference.get()); kernel && judging_) {
      on_device.emplace(*judging_, *kernel, fp64 ? &*fp64 : nullptr);
    }
    Judge judge(*reference, library(), maker_, fp64 ? &*fp64 : nullptr,
                on_device ? &*on_device : nullptr);
    judge.tell([this] { phases_.get_on(); });
    auto rejected = judge.judge(launches);
    if (rejected) stages_.judged_wrong(stage_of_launch(judge.judged_last()));
    if (!result_.differences) result_.differences.emplace();
    result_.differences->max_abs =
        std::max(result_.differences->max_abs, judge.differences().max_abs);
    result_.differences->max_rel =
        std::max(result_.differences->max_rel, judge.differences().max_rel);
    for (const std::string& note : judge.notes()) {
      if (std::ranges::find(result_.warnings, note) == result_.warnings.end())
        result_.warnings.push_back(note);
    }
    return rejected;
  }

  // Of what a library wrote: nothing of it goes into the result.
  [[nodiscard]] std::optional<Rejection> judged(const LaunchRecord& record) {
    const auto reference = make_reference();
    Judge judge(*reference, library(), maker_);
    judge.tell([this] { phases_.get_on(); });
    return judge.judge({&record, 1});
  }

  [[nodiscard]] std::optional<Rejection> conclude_times(Timed& timed) {
    result_.bench_seconds = timed.seconds;
    for (std::string& warning : timed.warnings) result_.warnings.push_back(std::move(warning));
    if (auto rejected = implausible(driver_->info(), timed_size_, timed)) return rejected;
    if (request_.incumbent) {
      PairedComparison& found = result_.comparison.emplace(compared(timed, *request_.incumbent));
      if (result_.conditions && !result_.conditions->unclean.empty()) {
        make_inconclusive(found, result_.conditions->unclean);
      }
      if (task_.incumbent && needs_confirmation(found, *request_.incumbent)) {
        confirmation_ = begin_confirmation(*task_.incumbent);
      }
    }
    if (stands(Defence::compared_timed_launches)) {
      if (auto rejected = judge(session_->account().take_records())) {
        result_.comparison.reset();  // times of a kernel that is wrong mean nothing
        return rejected;
      }
    }
    if (on_gpu()) result_.event_tick_us = smallest_step(timed.samples_us, timed.library_us);
    CountedTimes counted = counted_times(std::move(timed.samples_us), timed.sampled_on);
    if (counted.slower_on) {
      result_.warnings.push_back(
          fmt::format("it is slower on {} than on others: its times are those on {}",
                      name_of(*counted.slower_on), name_of(*counted.slower_on)));
    }
    result_.times = summarise(std::move(counted.times_us));
    if (!timed.library_us.empty()) result_.reference = summarise(std::move(timed.library_us));
    result_.warm_us = timed.warm_us;
    result_.reference_default_us = timed.library_default_us;
    result_.event_floor_us = timed.event_floor_us;
    if (!result_.reference && has_reference_kernel(problem_)) time_reference_kernel();
    time_library_as_asked();
    if (confirmation_ && result_.comparison) {
      // If a confirming process takes this one down, what is known so far still holds.
      if (listeners_->learned) listeners_->learned(result_);
      if (auto rejected = confirmation_->confirm(*result_.comparison)) {
        // The figures of a kernel that is wrong mean nothing.
        result_.comparison.reset();
        result_.times.reset();
        result_.reference.reset();
        return rejected;
      }
    }
    return std::nullopt;
  }

  // What baselines are timed with. On a GPU `tools` are made.
  [[nodiscard]] BaselineTask baseline_task(std::optional<compile::Program>& tools,
                                           const std::string& architecture) {
    if (!device_) device_ = std::make_unique<driver::Device>(*driver_);
    if (on_gpu()) tools = compiled_gpu_tools(open_front_end(request_.cached), architecture);
    return {.device = *device_,
            .sized = timed_size_,
            .maker = maker_,
            .gpu_tools = tools ? &*tools : nullptr,
            .architecture = architecture,
            .caching = request_.cached ? compile::Caching::yes : compile::Caching::no,
            .judge = [this](const LaunchRecord& record) { return judged(record); },
            .get_on = [this] { phases_.get_on(); }};
  }

  // Nothing depends on it, either.
  void time_library_as_asked() {
    const auto* const gemm = std::get_if<cases::GemmReference>(&problem_.reference);
    if (!request_.baselines || !on_gpu() || gemm == nullptr) return;
    try {
      std::optional<compile::Program> tools;
      const BaselineTask task = baseline_task(tools, task_.architecture);
      timeline_.around("time the baselines",
                       [&] { result_.baselines = time_cublaslt(task, *gemm); });
    } catch (const Error& error) {
      result_.warnings.emplace_back(error.what());
    }
  }

  // A trial of a baseline alone.
  void time_only_baseline() {
    const std::string architecture = report_device(driver_->info());
    const auto device_lock = lock_device(driver_->info(), [this] { phases_.enter(Phase::queue); });
    phases_.enter(Phase::time);
    phases_.leave_candidate();
    prepare_references(architecture);
    be_ready();
    std::optional<compile::Program> tools;
    const BaselineTask task = baseline_task(tools, architecture);
    result_.baselines.push_back(request_.only_baseline == kCutlass ? timed_cutlass(task)
                                                                   : timed_baseline(task));
  }
  [[nodiscard]] Baseline timed_cutlass(const BaselineTask& task) const {
    const auto* const gemm = std::get_if<cases::GemmReference>(&problem_.reference);
    if (gemm == nullptr || !on_gpu())
      throw Error(Stop::environment, "CUTLASS multiplies two matrices, on a GPU");
    return time_cutlass(task, *gemm, request_.checked);
  }
  [[nodiscard]] Baseline timed_baseline(const BaselineTask& task) const {
    const auto program =
        std::ranges::find(problem_.baselines, request_.only_baseline,
                          [](const cases::BaselineProgram& each) { return each.file.string(); });
    if (program == problem_.baselines.end())
      throw Error(Stop::internal, "the case has no baseline " + request_.only_baseline);
    return time_baseline(task, *program);
  }

  // What there is to compare with where no library computes the same. Nothing depends on it.
  void time_reference_kernel() {
    try {
      timeline_.around("time the reference", [this] {
        result_.reference = summarise(time_reference(
            {.device = *device_,
             .sized = timed_size_,
             .maker = maker_,
             .reference = references_.programs.at(timed_size_.size_name),
             .gpu_tools = references_.gpu_tools ? &*references_.gpu_tools : nullptr}));
      });
      result_.versions["reference"] =
          std::get<cases::KernelReference>(problem_.reference).file.string();
    } catch (const Error& error) {
      result_.warnings.emplace_back(error.what());
    }
  }

  // Whether the loop would keep the kernel for what was found.
  [[nodiscard]] static bool needs_confirmation(const PairedComparison& found,
                                               const Incumbent& incumbent) {
    const bool would_do =
        found.outcome == Outcome::faster || (found.as_fast && incumbent.as_fast_will_do);
    return incumbent.is_confirmed && would_do;
  }

  // The first process of the confirmation gets ready while the launches of this one are judged.
  [[nodiscard]] std::unique_ptr<Confirmation> begin_confirmation(const Incumbent& incumbent) {
    session_->dismiss();
    return std::make_unique<Confirmation>(ConfirmationTask{
        .launcher = launcher_command_,
        .preparation = preparation(),
        .launches = task_,
        .incumbent = incumbent,
        .device = driver_->info(),
        .sized = timed_size_,
        .keys = *keys_,
        .begins = [this] { phases_.enter(Phase::confirm); },
        .timeline = timeline_,
        .monitor =
            [this](std::vector<pid_t> launchers) { return make_monitor(std::move(launchers)); },
        .judge = [this](std::span<const LaunchRecord> launches) { return judge(launches); },
        .stands_at = [this](const Whereabouts& whereabouts) { stands_at(whereabouts); },
        .judging_device = judging_device()});
  }

  [[nodiscard]] PairedComparison compared(const Timed& timed, const Incumbent& incumbent) const {
    Pairing pairing(incumbent.name, required_gain());
    for (const std::vector<double>& alone : timed.alone_us) pairing.add_alone(alone);
    for (std::size_t i = 0; i < timed.samples_us.size(); ++i) {
      pairing.add_pair(timed.samples_us[i], timed.incumbent_us[i], timed.sampled_on[i]);
    }
    return pairing.comparison();
  }

  // From the first call on.
  [[nodiscard]] DeviceMonitor& monitor() {
    if (!monitor_) monitor_ = make_monitor({session_->id()});
    return *monitor_;
  }
  [[nodiscard]] std::unique_ptr<DeviceMonitor> make_monitor(std::vector<pid_t> launchers) {
    if (!on_gpu()) return monitor_host(std::move(launchers));
    if (!readings_) readings_ = std::move(*nvml_).readings();
    // Runners that wait for their trial have a context, and no work.
    std::vector<pid_t> ours = our_runners();
    for (const pid_t launcher : launchers) {
      if (std::ranges::find(ours, launcher) == ours.end()) ours.push_back(launcher);
    }
    std::erase(ours, ::getpid());  // who monitors knows itself
    return monitor_gpu(*readings_, std::move(ours));
  }

  void note_conditions() {
    result_.conditions = monitor().conditions();
    if (!request_.confined) {
      result_.conditions->unclean =
          "the kernel ran outside its sandbox (--unconfined): these times do not count";
    }
    add_process_conditions(driver_->info(), *result_.conditions);
    const std::vector<std::string> warnings = warnings_of(*result_.conditions);
    result_.warnings.insert(result_.warnings.end(), warnings.begin(), warnings.end());
  }

  Request request_;  // the one that is expected, until the trial begins
  const Listeners* listeners_ = nullptr;
  const RunnerCommand& launcher_command_;
  const cases::Case problem_;
  const SizedCase timed_size_;
  const SizedCase check_size_;
  PhaseClock phases_;
  Timeline timeline_;
  Timeline::Clock::time_point launcher_began_;
  Timeline::Clock::time_point assigned_;
  std::optional<Timeline::Clock::time_point> checks_began_;
  std::optional<Timeline::Clock::time_point> timing_began_;
  Result result_;
  std::vector<std::unique_ptr<SizedCase>> further_;  // with --full
  std::map<Stage, std::string> size_notes_;          // which are left out
  std::vector<Check> plan_;
  StageBook stages_;
  std::unique_ptr<Keys> keys_;  // from the beginning of the trial
  InputMaker maker_;
  // Before all that gives memory back to the device when it goes.
  std::unique_ptr<driver::Driver> driver_;
  std::unique_ptr<driver::Device> device_;
  std::unique_ptr<LauncherSession> session_;
  bool has_expected_ = false;
  LaunchTask task_;
  OpeningFrontEnd front_end_;  // where a kernel is the reference
  std::unique_ptr<OpenBlas> openblas_;
  std::unique_ptr<Cublas> cublas_;
  std::unique_ptr<ReferenceCompilations> compilations_;
  std::unique_ptr<PythonProcess> python_;  // of a reference in Python
  References references_;
  std::unique_ptr<JudgingKernels> judging_;  // where outputs are judged on a GPU
  std::future<void> loading_;
  std::future<void> preparing_;  // after all that it fills, so that it is waited for before they go
  bool is_ready_ = false;
  std::optional<DeviceNoise> noise_;     // of this device, where it is known
  std::unique_ptr<NvmlOpening> nvml_;    // of a GPU, until it is read
  std::optional<GpuReadings> readings_;  // from then on
  std::unique_ptr<DeviceMonitor> monitor_;
  std::unique_ptr<Confirmation> confirmation_;  // ends with the trial, which need not wait for it
};

PreparedTrial::PreparedTrial(RunnerCommand launcher) : launcher_(std::move(launcher)) {}
PreparedTrial::~PreparedTrial() = default;

void PreparedTrial::expect(const Request& expected) {
  try {
    if (!trial_ || !trial_->suits(expected)) {
      trial_.reset();  // before another takes its place on the device
      trial_ = std::make_unique<TrialRun>(expected, launcher_);
    }
    trial_->expect(expected);
  } catch (const std::exception&) {
    trial_.reset();
  }
}

Result PreparedTrial::run(const Request& request, const std::function<void(Phase)>& entered,
                          const std::function<void(const Result&)>& learned,
                          const std::function<void(const Result&)>& answered,
                          const RunnerObserver& observer) {
  if (!trial_ || !trial_->suits(request)) {
    trial_.reset();
    trial_ = std::make_unique<TrialRun>(request, launcher_);
  }
  Result result = trial_->run(request, {entered, learned, observer});
  trial_->end_launcher();
  if (answered) answered(result);
  trial_.reset();
  return result;
}

Result run_trial(const Request& request, const std::function<void(Phase)>& entered,
                 const std::function<void(const Result&)>& learned,
                 const std::function<void(const Result&)>& answered, const RunnerObserver& observer,
                 const RunnerCommand& launcher) {
  return PreparedTrial(launcher).run(request, entered, learned, answered, observer);
}

}  // namespace autokernel::trial
