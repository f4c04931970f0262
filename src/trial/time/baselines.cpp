#include "trial/time/baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "autokernel/base/error.h"
#include "trial/blas/cublaslt.h"
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
  [[nodiscard]] double median_us(const Queue& queue, const std::string& what) const {
    std::vector<double> samples;
    samples.reserve(kSamples);
    for (int sample = 0; sample < kSamples; ++sample)
      samples.push_back(sequence_ ? sequence_->sample(queue, what.c_str()) : on_host(queue, what));
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

[[nodiscard]] std::vector<Baseline> time_cublaslt(const BaselineTask& task,
                                                  const cases::GemmReference& gemm,
                                                  const BaselineTimer& timer) {
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

[[nodiscard]] Baseline time_program(const BaselineTask& task, const cases::BaselineProgram& program,
                                    const BaselineTimer& timer) {
  const LoadedBaseline loaded(program, task.device, task.sized, task.architecture, task.get_on);
  const std::unique_ptr<OperandSource> source = source_of(task);
  DeviceMemory memory(task.device, Operands::required_bytes(task.device, task.sized, Extras{}));
  Operands operands(task.device, task.sized, Extras{}, memory);
  const Occasion occasion{&task.sized, InputKind::declared, FreshKeys().draw(loaded.name())};
  const driver::Stream stream = task.device.make_stream();
  source->load(operands, occasion, stream);
  expect_sound(stream.wait(), loaded.name().c_str());

  const Queue queue = [&](const driver::Stream& on) { loaded.queue(operands.arguments(), on); };
  timer.run(queue, loaded.name());
  LaunchRecord record{.sized = &task.sized,
                      .input_kind = occasion.input_kind,
                      .key = occasion.key,
                      .name = loaded.name(),
                      .outputs = operands.outputs()};
  if (const auto rejected = task.judge(record)) {
    throw Error(Stop::environment,
                fmt::format("the baseline {} is not timed, as it computes something else: {}",
                            program.file.string(), rejected->reason));
  }
  return {.name = loaded.name(),
          .configuration = loaded.configuration(),
          .median_us = timer.median_us(queue, loaded.name())};
}

}  // namespace

TimedBaselines time_baselines(const BaselineTask& task) {
  const cases::Case& problem = *task.sized.problem;
  const BaselineTimer timer(task);
  TimedBaselines timed;
  // Nothing depends on any of them.
  const auto note_failure = [&](const auto& step) {
    try {
      step();
    } catch (const Error& error) {
      timed.notes.emplace_back(error.what());
    }
  };
  const auto* const gemm = std::get_if<cases::GemmReference>(&problem.reference);
  if (gemm != nullptr && task.gpu_tools != nullptr)
    note_failure([&] { timed.baselines = time_cublaslt(task, *gemm, timer); });
  for (const cases::BaselineProgram& program : problem.baselines)
    note_failure([&] { timed.baselines.push_back(time_program(task, program, timer)); });
  return timed;
}

}  // namespace autokernel::trial
