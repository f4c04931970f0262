#include "autokernel/base/parallel.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <latch>
#include <thread>

namespace autokernel {
namespace {

// Waking a thread and waiting for it costs some 30 us, the time of about this many steps.
constexpr std::size_t kStepsPerThread = 1U << 16U;
// Memory, not arithmetic, is the limit beyond.
constexpr std::size_t kMostThreads = 8;
// Memory is copied and compared in steps of this size, each of which takes as long as about so many
// elementary ones.
constexpr std::size_t kStepBytes = std::size_t{16} << 10U;
constexpr std::size_t kCostOfAStep = std::size_t{4} << 10U;

[[nodiscard]] std::size_t most_parts() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
}

// Started once, by the first who has work for them: a launch has work for all of them several times
// in a millisecond. They sleep in between.
[[nodiscard]] boost::asio::thread_pool& helpers() {
  static boost::asio::thread_pool threads(std::max<std::size_t>(1, most_parts() - 1));
  return threads;
}

}  // namespace

void in_parallel(std::size_t count, std::size_t cost,
                 const std::function<void(std::size_t, std::size_t)>& work) {
  const std::size_t paying = count * cost / kStepsPerThread;
  const std::size_t parts = std::clamp<std::size_t>(paying, 1, most_parts());
  if (parts == 1) return work(0, count);
  std::latch others(static_cast<std::ptrdiff_t>(parts - 1));
  for (std::size_t part = 1; part < parts; ++part) {
    boost::asio::post(helpers(), [&, part] {
      work(count * part / parts, count * (part + 1) / parts);
      others.count_down();
    });
  }
  work(0, count / parts);
  others.wait();
}

void in_parallel_over_bytes(std::size_t bytes,
                            const std::function<void(std::size_t, std::size_t)>& work) {
  in_parallel((bytes + kStepBytes - 1) / kStepBytes, kCostOfAStep,
              [&](std::size_t first, std::size_t end) {
                work(first * kStepBytes, std::min(end * kStepBytes, bytes));
              });
}

void copy_in_parallel(std::span<const std::byte> from, std::span<std::byte> to) {
  in_parallel_over_bytes(from.size(), [&](std::size_t first, std::size_t end) {
    std::ranges::copy(from.subspan(first, end - first),
                      to.begin() + static_cast<std::ptrdiff_t>(first));
  });
}

}  // namespace autokernel
