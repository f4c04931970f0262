#include "autokernel/trial/launcher.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/compile/program.h"
#include "autokernel/driver/device.h"
#include "trial/blas/cublas.h"
#include "trial/blas/openblas.h"
#include "trial/check/check_plan.h"
#include "trial/launch/device_operands.h"
#include "trial/runner/compilations.h"
#include "trial/runner/confinement.h"
#include "trial/runner/driver_settings.h"
#include "trial/runner/runner_connection.h"
#include "trial/runner/runtime_sizes.h"
#include "trial/supervise/text_bounds.h"
#include "trial/supervise/whereabouts_signal.h"
#include "trial/time/device_warm_up.h"
#include "trial/time/gpu_tools.h"
#include "trial/time/stopwatch.h"

namespace autokernel::trial {
namespace {

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

Compiled report_of(const compile::Program& program, std::string nvrtc) {
  Compiled compiled{resources_of(program), program.warnings, program.log, std::move(nvrtc)};
  if (program.from_cache) compiled.log += "\nThe above is from the compile cache.\n";
  return compiled;
}

using Clock = std::chrono::steady_clock;

// What has to be compiled for a task.
CompileTask compile_task(const LaunchTask& task, const CheckedSizes& sizes,
                         const std::vector<const SizedCase*>& compared, bool on_gpu) {
  CompileTask compile{
      &task.problem,
      {task.kernel_name, task.source, task.files},
      task.incumbent,
      {sizes.timed},
      {task.architecture, chosen(task.headers, task.kernel_headers), task.flags, task.compiler},
      on_gpu,
      {}};
  if (task.incumbent) compile.incumbent_headers = chosen(task.headers, task.incumbent->headers);
  compile.incumbent_compiler = task.incumbent_compiler;
  if (task.check_size != task.timed_size) compile.sizes.push_back(sizes.check);
  compile.sizes.insert(compile.sizes.end(), sizes.further.begin(), sizes.further.end());
  compile.sizes.insert(compile.sizes.end(), compared.begin(), compared.end());
  return compile;
}

// The sizes of a task, which must live longer.
class TaskSizes {
 public:
  explicit TaskSizes(const LaunchTask& task) : timed_(task.problem, task.timed_size) {
    if (task.check_size != task.timed_size) check_.emplace(task.problem, task.check_size);
    for (const std::string& name : task.further_sizes) further_.emplace_back(task.problem, name);
    for (const auto& [name, symbols] : task.problem.sizes) {
      const bool is_there = name == task.timed_size || name == task.check_size ||
                            std::ranges::find(task.further_sizes, name) != task.further_sizes.end();
      if (!is_there && share_code(task.problem, name, task.timed_size))
        compared_.emplace_back(task.problem, name);
    }
  }
  // At which the kernel is compiled only to see whether it is the same.
  [[nodiscard]] std::vector<const SizedCase*> compared() const {
    std::vector<const SizedCase*> sizes;
    sizes.reserve(compared_.size());
    for (const SizedCase& size : compared_) sizes.push_back(&size);
    return sizes;
  }
  [[nodiscard]] const SizedCase& timed() const { return timed_; }
  [[nodiscard]] CheckedSizes all() const {
    CheckedSizes sizes{check_ ? &*check_ : &timed_, &timed_};
    for (const SizedCase& size : further_) sizes.further.push_back(&size);
    return sizes;
  }

 private:
  SizedCase timed_;
  std::optional<SizedCase> check_;  // where it is another one
  std::vector<SizedCase> further_;
  std::vector<SizedCase> compared_;
};

// A task that may come, being compiled: the front end remembers what comes of it.
struct Expectation {
  Expectation(LaunchTask expected, const OpeningFrontEnd& front_end, bool on_gpu)
      : task(std::move(expected)),
        sizes(task),
        compilations(front_end, compile_task(task, sizes.all(), sizes.compared(), on_gpu)) {}

  const LaunchTask task;
  const TaskSizes sizes;
  Compilations compilations;
};

// One trial's launches. What is made later goes earlier: the device is the last.
class TrialLaunches {
 public:
  explicit TrialLaunches(RunnerConnection& runner)
      : runner_(&runner), keys_(runner), judged_(runner), monitor_(runner) {}

  void run() {
    set_driver_up();
    const auto preparation = runner_->await<Preparation>();
    front_end_ = open_front_end(preparation.cached);
    driver_ = std::make_unique<driver::Driver>(driver::Driver::open(preparation.device));
    await_task();
    sizes_ = std::make_unique<TaskSizes>(task_);
    Timing timing = launch_all();
    if (auto* rejected = std::get_if<Rejection>(&timing)) {
      runner_->tell(std::move(*rejected));
      return;
    }
    runner_->tell(std::get<Timed>(std::move(timing)));
    // Until the runner has seen what this process used.
    static_cast<void>(runner_->await<GoOn>());
  }

 private:
  // Until the task comes: whatever it is expected to be is compiled, and the device opened for it.
  void await_task() {
    for (;;) {
      Order order = runner_->await<ExpectedTask, LaunchTask>();
      if (auto* task = std::get_if<LaunchTask>(&order)) {
        task_ = std::move(*task);
        return;
      }
      const LaunchTask& task = std::get<ExpectedTask>(order).task;
      if (!device_) {
        open_device(times_library(task));
        runner_->tell(Opened{});
      }
      if (is_worth_compiling(task)) {
        expected_.push_back(
            std::make_unique<Expectation>(task, front_end_, !driver_->info().emulated));
      }
    }
  }

  // On the emulated device a compiler that has nothing new to compile holds more memory than all
  // else that waits.
  [[nodiscard]] bool is_worth_compiling(const LaunchTask& task) const {
    // Nobody's Python runs while others may be timed.
    if (task.compiler || task.incumbent_compiler) return false;
    const bool is_new = !task.incumbent || task.source != task.incumbent->source ||
                        task.files != task.incumbent->files;
    return is_new || !driver_->info().emulated;
  }

  [[nodiscard]] Timing launch_all() {
    maker_.read_captured(task_.problem);
    Compilations compilations(front_end_, compile_task(task_, sizes_->all(), sizes_->compared(),
                                                       !driver_->info().emulated));
    if (!device_) open_device(times_library(task_));
    runner_->tell(Opened{});
    // The incumbent is timed first of all.
    std::optional<DeviceWarmUp> warm_up;
    if (task_.incumbent && !driver_->info().emulated) {
      warm_up.emplace(*device_, compilations.gpu_tools());
      while (!compilations.are_done()) warm_up->go_on();
    }
    auto compiled = compilations.wait();
    if (auto* rejected = std::get_if<Rejection>(&compiled)) return std::move(*rejected);
    // Their threads must neither outlive the confinement of this one nor run beside the kernel.
    for (const auto& expectation : expected_) {
      if (expectation->compilations.are_done()) continue;
      throw Error(Stop::environment, "a kernel that was only expected is still being compiled");
    }
    const Programs programs = std::get<Programs>(std::move(compiled));
    const compile::Program& timed_program = programs.kernel.at(task_.timed_size);
    Compiled report = report_of(timed_program, front_end_.get()->version());
    if (task_.keeps_outputs_on_device && device_->can_share()) {
      outbox_ = std::make_unique<DeviceOutbox>(*device_, sizes_->all().output_bytes());
      report.outbox = outbox_->name();
    }
    runner_->tell(std::move(report));
    const auto go_on = runner_->await<GoOn>();
    if (go_on.takes_outputs_on_device) {
      judged_.use(*outbox_);
    } else {
      outbox_.reset();
    }
    if (go_on.device_worked_at) {
      device_worked_at_.emplace(std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(*go_on.device_worked_at)));
    }

    responder_ = std::make_unique<WhereaboutsResponder>(
        [this] { runner_->tell(Whereabouts{device_->whereabouts()}); });
    const bool has_ptx_alone = std::ranges::any_of(
        programs.kernel, [](const auto& program) { return program.second.cubin.empty(); });
    if (has_ptx_alone && !driver_->info().emulated) driver::load_ptx_compiler();
    if (task_.confined) confine(driver_->info());
    enter(Phase::harness);
    if (programs.gpu_tools) {
      operands_ = std::make_unique<DeviceOperands>(*device_, *programs.gpu_tools, maker_);
    } else {
      operands_ = std::make_unique<HostOperands>(*device_, maker_);
    }
    if (warm_up) {
      while (!warm_up->is_over()) warm_up->go_on();
      warm_up.reset();
      device_worked_at_ = Clock::now();
    }
    enter(Phase::check);
    std::unique_ptr<Stopwatch> stopwatch;
    std::unique_ptr<TimedIncumbent> incumbent;
    std::vector<std::vector<double>> alone;
    if (programs.incumbent && task_.incumbent) {
      enter(Phase::harness);
      stopwatch = make_stopwatch(programs);
      incumbent = std::make_unique<TimedIncumbent>(
          TimedIncumbent{*programs.incumbent,
                         Pairing(task_.incumbent->name, task_.incumbent->min_gain.value_or(0),
                                 task_.incumbent->is_part_of_score ? Pairing::Until::precise
                                                                   : Pairing::Until::decided)});
      alone.push_back(time_alone(*stopwatch, *incumbent));
      enter(Phase::check);
    }
    if (task_.checked) {
      if (auto rejected = check(programs)) return *std::move(rejected);
    }
    // The runner judges; the phase is that of timing then.
    judged_.finish_checks();
    tell_code(sizes_->timed(), timed_program);
    if (!stopwatch) {  // a kernel that fails its checks needs none
      enter(Phase::harness);
      stopwatch = make_stopwatch(programs);
      enter(Phase::time);
    }
    Timing timing = stopwatch->time(timed_program, incumbent.get());
    if (std::holds_alternative<Rejection>(timing) || !incumbent) return timing;
    enter(Phase::harness);
    alone.push_back(time_alone(*stopwatch, *incumbent));
    std::get<Timed>(timing).alone_us = std::move(alone);
    return timing;
  }

  void open_device(bool has_library) {
    std::future<void> loading;
    if (has_library && !driver_->info().emulated) {
      loading = std::async(std::launch::async, Cublas::load);
    }
    device_ = std::make_unique<driver::Device>(*driver_);
    if (loading.valid()) loading.get();
    device_->refuse_device_malloc();
    if (!has_library) return;
    if (driver_->info().emulated) {
      openblas_ = OpenBlas::open();
    } else {
      cublas_ = Cublas::open(*device_);
    }
  }

  [[nodiscard]] std::optional<Rejection> check(const Programs& programs) {
    struct Loaded {
      Candidate candidate;
      KernelLauncher launcher;
      Loaded(Candidate kernel, const driver::Device& device, const SizedCase& sized,
             OperandSource& operands)
          : candidate(std::move(kernel)), launcher(device, candidate, sized, operands, 1) {}
    };
    std::unique_ptr<Loaded> loaded;
    const SizedCase* at = nullptr;
    for (const Check& check : check_plan(sizes_->all(), task_.depth)) {
      if (std::exchange(at, check.sized) != check.sized) loaded.reset();
      if (!loaded) {
        const compile::Program& program = programs.kernel.at(check.sized->size_name);
        tell_code(*check.sized, program);
        auto loading = Candidate::load(*device_, program, *check.sized);
        if (auto* rejected = std::get_if<Rejection>(&loading)) return std::move(*rejected);
        loaded = std::make_unique<Loaded>(std::get<Candidate>(std::move(loading)), *device_,
                                          *check.sized, *operands_);
      }
      if (auto rejected = run_check(loaded->launcher, check, keys_, judged_)) return rejected;
      if (!judged_.is_full()) continue;
      loaded.reset();
      judged_.have_judged();
    }
    return std::nullopt;
  }

  [[nodiscard]] std::unique_ptr<Stopwatch> make_stopwatch(const Programs& programs) {
    TimingTask task{*device_, sizes_->timed(), maker_,        *operands_,
                    keys_,    judged_,         task_.samples, monitor_};
    task.recording_seconds = task_.recording_seconds;
    task.open_seconds = task_.open_seconds;
    task.times_only = task_.times_only;
    task.device_worked_at = device_worked_at_;
    // The harness's kernels are compiled where there is a GPU.
    if (programs.gpu_tools) return gpu_stopwatch(task, cublas_.get(), *programs.gpu_tools);
    return emulated_stopwatch(task, openblas_.get());
  }

  [[nodiscard]] static std::vector<double> time_alone(Stopwatch& stopwatch,
                                                      TimedIncumbent& incumbent) {
    auto times = stopwatch.time_alone(incumbent);
    if (const auto* rejected = std::get_if<Rejection>(&times)) {
      throw Error(Stop::usage, "cannot compare with " + incumbent.pairing.incumbent_name() +
                                   ", which does not run: " + rejected->reason);
    }
    return std::get<std::vector<double>>(std::move(times));
  }

  void enter(Phase phase) { runner_->tell(phase); }
  // Once for each size.
  void tell_code(const SizedCase& sized, const compile::Program& program) {
    if (std::exchange(told_, sized.size_name) == sized.size_name) return;
    // More than this nobody reads, and a message has to end.
    constexpr std::size_t kLongestPtx = std::size_t{4} << 20U;
    runner_->tell(Code{program.ptx.substr(0, kLongestPtx)});
  }

  RunnerConnection* runner_;
  RunnerKeys keys_;
  RunnerRecords judged_;
  RunnerMonitor monitor_;
  InputMaker maker_;
  LaunchTask task_;
  std::string told_;  // the size whose code was
  std::optional<Clock::time_point> device_worked_at_;
  std::vector<std::unique_ptr<Expectation>> expected_;
  std::unique_ptr<TaskSizes> sizes_;
  OpeningFrontEnd front_end_;
  // Before the libraries, which give their memory back to the device when they go.
  std::unique_ptr<driver::Driver> driver_;
  std::unique_ptr<driver::Device> device_;
  std::unique_ptr<DeviceOutbox> outbox_;
  std::unique_ptr<OperandSource> operands_;
  std::unique_ptr<OpenBlas> openblas_;
  std::unique_ptr<Cublas> cublas_;
  std::unique_ptr<WhereaboutsResponder> responder_;
};

}  // namespace

int run_launcher(LauncherChannels channels) {
  block_whereabouts_signal();
  RunnerConnection runner(std::move(channels));
  try {
    TrialLaunches(runner).run();
    return 0;
  } catch (const Error& error) {
    runner.tell(Failure{.stop = error.stop(), .what = error.what()});
    return static_cast<int>(error.stop());
  } catch (const std::exception& error) {
    const std::string what = std::string("the launcher met an unexpected error: ") + error.what();
    runner.tell(Failure{.stop = Stop::internal, .what = what});
    return static_cast<int>(Stop::internal);
  }
}

}  // namespace autokernel::trial
