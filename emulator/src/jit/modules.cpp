#include "jit/modules.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace emulator::jit {
namespace {

// Takes one module after the other until none is left, on as many threads as call run().
class SideBySide {
 public:
  SideBySide(const std::vector<std::string>& modules, Optimisation optimisation)
      : modules_(modules), optimisation_(optimisation), codes_(modules.size()) {}

  void run() noexcept {
    try {
      for (std::size_t i = next_++; i < modules_.size(); i = next_++) {
        codes_[i] = compile_ir(modules_[i], optimisation_);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
  }

  std::vector<ObjectCode> take() {
    if (failure_) std::rethrow_exception(failure_);
    return std::move(codes_);
  }

 private:
  const std::vector<std::string>& modules_;
  Optimisation optimisation_;
  std::vector<ObjectCode> codes_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

// Threads beside this one, so that there are `wanted`, or as many as are to be had.
std::vector<std::jthread> helpers_of(SideBySide& compilation, std::size_t wanted) {
  std::vector<std::jthread> helpers;
  try {
    while (helpers.size() + 1 < wanted) helpers.emplace_back([&] { compilation.run(); });
  } catch (const std::system_error&) {
    return helpers;
  }
  return helpers;
}

}  // namespace

Objects compile_modules(const std::vector<std::string>& modules, unsigned threads,
                        Optimisation optimisation) {
  const auto begin = std::chrono::steady_clock::now();
  SideBySide compilation(modules, optimisation);
  {
    const std::vector<std::jthread> helpers =
        helpers_of(compilation, std::min<std::size_t>(threads, modules.size()));
    compilation.run();
  }
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
  Objects result;
  for (ObjectCode& code : compilation.take()) {
    result.objects.push_back(std::move(code.object));
    result.optimise_seconds += code.optimise_seconds;
    result.generate_seconds += code.generate_seconds;
  }
  const double share = whole.count() / (result.optimise_seconds + result.generate_seconds);
  result.optimise_seconds *= share;
  result.generate_seconds *= share;
  return result;
}

}  // namespace emulator::jit
