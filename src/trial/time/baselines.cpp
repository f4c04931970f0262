#include "trial/time/baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "trial/blas/cublaslt.h"
#include "trial/decide/statistics.h"
#include "trial/launch/device_operands.h"
#include "trial/time/fresh_keys.h"
#include "trial/time/harness_sequence.h"

namespace autokernel::trial {
namespace {

constexpr int kSamples = 20;
constexpr int kMostAlgorithms = 16;
// What NVIDIA recommends for Hopper (cuBLAS's documentation, 2.1.8 "cublasSetWorkspace()"), and no
// algorithm is faster with more at the sizes that were tried.
constexpr std::size_t kWorkspace = std::size_t{32} << 20U;

}  // namespace

std::vector<Baseline> time_baselines(const BaselineTask& task) {
  const auto& gemm = std::get<cases::GemmReference>(task.sized.problem->reference);
  DeviceOperands source(task.device, task.gpu_tools, task.maker);
  FreshKeys keys;
  const ProductOperands operands(task.device, task.sized, source, keys, gemm);
  const auto library =
      CublasLt::open(task.device, operands.product(), operands.left(), operands.right(),
                     operands.output(), {.most = kMostAlgorithms, .workspace_bytes = kWorkspace});
  GpuTools tools(task.device, task.gpu_tools);
  HarnessSequence sequence(task.device, tools);
  std::vector<double> medians;
  for (std::size_t i = 0; i < library->algorithms(); ++i) {
    const auto queue = [&](const driver::Stream& stream) { library->queue(i, stream); };
    // Kernels are loaded at their first use, which a gate would wait for.
    const driver::Stream first = task.device.make_stream();
    queue(first);
    expect_sound(first.wait(), "cuBLASLt");
    std::vector<double> samples;
    samples.reserve(kSamples);
    for (int sample = 0; sample < kSamples; ++sample)
      samples.push_back(sequence.sample(queue, "cuBLASLt"));
    medians.push_back(median(std::move(samples)));
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

}  // namespace autokernel::trial
