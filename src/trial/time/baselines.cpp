#include "trial/time/baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <utility>

#include "autokernel/base/error.h"
#include "trial/blas/cublaslt.h"
#include "trial/blas/cutlass.h"
#include "trial/check/reference.h"
#include "trial/decide/statistics.h"
#include "trial/launch/device_operands.h"
#include "trial/time/baseline_program.h"
#include "trial/time/fresh_keys.h"
#include "trial/time/harness_sequence.h"

namespace autokernel::trial {
namespace {

constexpr int kSamples = 20;
constexpr int kMostAlgorithms = 16;
// What NVIDIA recommends for Hopper (cuBLAS's documentation, 2.1.8 "cublasSetWorkspace()"), and no
// algorithm is faster with more at the sizes that were tried.
constexpr std::size_t kWorkspace = std::size_t{32} << 20U;

using Queue = HarnessSequence::Queue;

// Takes the times of all baselines of a task, one after the other.
class BaselineTimer {
 public:
  explicit BaselineTimer(const BaselineTask& task)
      : device_(&task.device), stream_(task.device.make_stream()) {
    if (task.gpu_tools == nullptr) return;
    tools_ = std::make_unique<GpuTools>(task.device, *task.gpu_tools);
    sequence_ = std::make_unique<HarnessSequence>(task.device, *tools_);
  }

  // Queues it once and waits: libraries load their kernels at the first use, which a gate would
  // wait for.
  void run(const Queue& queue, const std::string& what) const {
    queue(stream_);
    expect_sound(stream_.wait(), what.c_str());
  }
  [[nodiscard]] double median_us(
      const Queue& queue, const std::string& what,
      const std::function<void()>& before_each = [] {}) const {
    std::vector<double> samples;
    samples.reserve(kSamples);
    for (int sample = 0; sample < kSamples; ++sample) {
      before_each();
      samples.push_back(sequence_ ? sequence_->sample(queue, what.c_str()) : on_host(queue, what));
    }
    return median(std::move(samples));
  }

 private:
  // The emulated device is memory and processors of the host's, which a library has to itself.
  [[nodiscard]] double on_host(const Queue& queue, const std::string& what) const {
    const auto begin = std::chrono::steady_clock::now();
    run(queue, what);
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
        .count();
  }

  const driver::Device* device_;
  driver::Stream stream_;
  std::unique_ptr<GpuTools> tools_;
  std::unique_ptr<HarnessSequence> sequence_;
};

[[nodiscard]] std::unique_ptr<OperandSource> source_of(const BaselineTask& task) {
  if (task.gpu_tools == nullptr) return std::make_unique<HostOperands>(task.device, task.maker);
  return std::make_unique<DeviceOperands>(task.device, *task.gpu_tools, task.maker);
}

}  // namespace

std::vector<Baseline> time_cublaslt(const BaselineTask& task, const cases::GemmReference& gemm) {
  const BaselineTimer timer(task);
  const std::unique_ptr<OperandSource> source = source_of(task);
  FreshKeys keys;
  const ProductOperands operands(task.device, task.sized, *source, keys, gemm);
  const auto library =
      CublasLt::open(task.device, operands.product(), operands.left(), operands.right(),
                     operands.output(), {.most = kMostAlgorithms, .workspace_bytes = kWorkspace});
  std::vector<double> medians;
  for (std::size_t i = 0; i < library->algorithms(); ++i) {
    const auto queue = [&](const driver::Stream& stream) { library->queue(i, stream); };
    timer.run(queue, "cuBLASLt");
    medians.push_back(timer.median_us(queue, "cuBLASLt"));
  }
  const auto best = std::ranges::min_element(medians);
  const std::string version = library->version();
  return {
      {.name = version,
       .configuration = fmt::format("its first choice, workspace {} MiB", kWorkspace >> 20U),
       .median_us = medians.front()},
      {.name = version,
       .configuration = fmt::format("the best of {} heuristics, no. {}, workspace {} MiB",
                                    medians.size(), best - medians.begin() + 1, kWorkspace >> 20U),
       .median_us = *best}};
}

namespace {

// What takes the arguments of a kernel of the case and queues its work.
using Launch = std::function<void(std::span<void* const>, const driver::Stream&)>;

// A baseline on its operands.
class BaselineRun {
 public:
  BaselineRun(const BaselineTask& task, std::string name, Launch launch)
      : task_(task),
        name_(std::move(name)),
        launch_(std::move(launch)),
        source_(source_of(task)),
        memory_(task.device, Operands::required_bytes(task.device, task.sized, Extras{})),
        operands_(task.device, task.sized, Extras{}, memory_),
        stream_(task.device.make_stream()) {}

  void refresh() {
    occasion_ = {&task_.sized, InputKind::declared, FreshKeys().draw(name_)};
    source_->load(operands_, occasion_, stream_);
    expect_sound(stream_.wait(), name_.c_str());
  }
  void queue(const driver::Stream& on) const { launch_(operands_.arguments(), on); }
  // Of what it did on the operands that were refreshed last.
  void require_right() {
    if (const auto disturbed = source_->disturbed(operands_, occasion_, stream_))
      refuse(disturbed->what);
    const LaunchRecord record{.sized = &task_.sized,
                              .input_kind = occasion_.input_kind,
                              .key = occasion_.key,
                              .name = name_,
                              .outputs = operands_.outputs()};
    if (const auto rejected = task_.judge(record)) refuse(rejected->reason);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(
        Stop::environment,
        fmt::format("the baseline {} is not timed, as it computes something else: {}", name_, why));
  }

  const BaselineTask& task_;
  std::string name_;
  Launch launch_;
  std::unique_ptr<OperandSource> source_;
  DeviceMemory memory_;
  Operands operands_;
  driver::Stream stream_;
  Occasion occasion_;
};

// The value of the argument with that index, which is a tensor's address.
[[nodiscard]] driver::Address address_in(std::span<void* const> arguments, std::size_t index) {
  return *static_cast<const driver::Address*>(arguments[index]);
}

}  // namespace

Baseline time_cutlass(const BaselineTask& task, const cases::GemmReference& gemm, bool checked) {
  const SizedCase& sized = task.sized;
  const std::size_t left = sized.index_of(gemm.left);
  const std::size_t right = sized.index_of(gemm.right);
  const std::size_t output = sized.index_of(gemm.output);
  const Cutlass cutlass(task.device,
                        {.product = product_of(sized, gemm.left, gemm.right),
                         .element = sized.tensors[left].tensor->dtype,
                         .output = sized.tensors[output].tensor->dtype,
                         .architecture = task.architecture,
                         .caching = task.caching},
                        task.get_on);
  std::size_t tile = 0;
  BaselineRun run(task, cutlass.version(),
                  [&](std::span<void* const> arguments, const driver::Stream& stream) {
                    cutlass.queue(tile,
                                  {.left = address_in(arguments, left),
                                   .right = address_in(arguments, right),
                                   .output = address_in(arguments, output)},
                                  stream);
                  });
  const BaselineTimer timer(task);
  const Queue queue = [&](const driver::Stream& stream) { run.queue(stream); };
  std::optional<double> best;
  std::size_t best_tile = 0;
  std::size_t timed = 0;
  std::string why;
  for (; tile < cutlass.tiles(); ++tile) {
    try {
      run.refresh();
      timer.run(queue, cutlass.version());
      if (checked) run.require_right();
      const double median = timer.median_us(queue, cutlass.version());
      ++timed;
      if (best && *best <= median) continue;
      best = median;
      best_tile = tile;
    } catch (const Error& error) {
      why = error.what();
    }
  }
  if (!best) throw Error(Stop::environment, why);
  return {.name = cutlass.version(),
          .configuration =
              fmt::format("the best of {} tiles, {}", timed, cutlass.configuration(best_tile)),
          .median_us = *best};
}

Baseline time_baseline(const BaselineTask& task, const cases::BaselineProgram& program) {
  if (task.gpu_tools == nullptr && program.file.extension() == ".cu") {
    throw Error(Stop::environment,
                fmt::format("the baseline {} is not timed: what nvcc builds runs on a GPU alone",
                            program.file.string()));
  }
  const BaselineTimer timer(task);
  const LoadedBaseline loaded(program, task.device, task.sized, task.architecture, task.caching,
                              task.get_on);
  BaselineRun run(task, program.file.string(),
                  [&](std::span<void* const> arguments, const driver::Stream& stream) {
                    loaded.queue(arguments, stream);
                  });
  const Queue queue = [&](const driver::Stream& stream) { run.queue(stream); };
  run.refresh();
  timer.run(queue, loaded.name());
  run.require_right();
  const double median = timer.median_us(queue, loaded.name(), [&] { run.refresh(); });
  run.require_right();
  return {.name = loaded.name(), .configuration = loaded.configuration(), .median_us = median};
}

}  // namespace autokernel::trial
