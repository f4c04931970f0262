#include "emulator/jit/modules.h"

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

}  // namespace

Objects compile_modules(const std::vector<std::string>& modules, unsigned threads,
                        Optimisation optimisation) {
  const auto begin = std::chrono::steady_clock::now();
  SideBySide compilation(modules, optimisation);
  {
    std::vector<std::jthread> helpers;
    try {
      for (std::size_t i = 1; i < std::min<std::size_t>(threads, modules.size()); ++i) {
        helpers.emplace_back([&compilation] { compilation.run(); });
      }
    } catch (const std::system_error&) {  // No more threads are to be had: fewer do it.
    }
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
