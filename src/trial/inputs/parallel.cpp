#include "trial/inputs/parallel.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace autokernel::trial {
namespace {

// Starting a thread costs some 30 us, the time of about this many steps.
constexpr std::size_t kStepsPerThread = 1U << 16U;
// Memory, not arithmetic, is the limit beyond.
constexpr std::size_t kMostThreads = 8;

}  // namespace

void in_parallel(std::size_t count, std::size_t cost,
                 const std::function<void(std::size_t, std::size_t)>& work) {
  const std::size_t paying = count * cost / kStepsPerThread;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t parts = std::clamp<std::size_t>(paying, 1, std::min(cores, kMostThreads));
  std::vector<std::jthread> threads;
  threads.reserve(parts - 1);
  for (std::size_t part = 1; part < parts; ++part) {
    threads.emplace_back(work, count * part / parts, count * (part + 1) / parts);
  }
  work(0, count / parts);
}

}  // namespace autokernel::trial
