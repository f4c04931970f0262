#include <algorithm>
#include <chrono>
#include <memory>

#include "trial/check/reference.h"
#include "trial/inputs/conversion.h"
#include "trial/time/stopwatch.h"

namespace autokernel::trial {
namespace {

using Clock = std::chrono::steady_clock;

// A number from the emulated device says nothing about a GPU: it is not worth a minute of waiting.
constexpr double kCapSeconds = 10;
// Neither is a comparison, as long as nothing speaks for the candidate: most experiments end so,
// and a thousand in an hour are worth more than a loss that is known to the percent. What looks
// like a gain gets the time to become one (kPromisingSeconds), and where the noise of this machine
// is known, the time is such that a gain looks like one.
constexpr double kOpenSeconds = 1.5;
// Enough to see an incumbent that was made half as fast, which is more than noise makes here.
constexpr int kEmulatedAloneSamples = 10;

// The library's product on inputs of its own, timed by the host's clock since it knows no events.
// The inputs are made once: what a product of floats costs does not depend on them.
class LibraryClock {
 public:
  LibraryClock(const OpenBlas& library, const TimingTask& task, const cases::GemmReference& gemm)
      : library_(&library), product_(product_of(task.sized, gemm.left, gemm.right)) {
    std::vector<Bytes> inputs;
    task.maker.make(task.sized, timed_input_kind(*task.sized.problem),
                    task.keys.draw(name_of(LaunchKind::library)), inputs);
    const auto upcast = [&](const std::string& name, std::vector<float>& to) {
      const std::size_t index = task.sized.index_of(name);
      to.resize(task.sized.tensors[index].count);
      to_floats(task.sized.tensors[index].tensor->dtype, inputs[index], to);
    };
    upcast(gemm.left, left_);
    upcast(gemm.right, right_);
    result_.resize(task.sized.tensors[task.sized.index_of(gemm.output)].count);
    static_cast<void>(sample());
  }

  [[nodiscard]] double sample() {
    const auto begin = Clock::now();
    library_->multiply_floats(product_, left_, right_, result_);
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
  }

 private:
  const OpenBlas* library_;
  Product product_;
  std::vector<float> left_;
  std::vector<float> right_;
  std::vector<float> result_;
};

class EmulatedStopwatch : public Stopwatch {
 public:
  EmulatedStopwatch(const TimingTask& task, const OpenBlas* library)
      : Stopwatch(task, kEmulatedAloneSamples) {
    const auto* gemm = std::get_if<cases::GemmReference>(&task.sized.problem->reference);
    if (library != nullptr && gemm != nullptr)
      library_ = std::make_unique<LibraryClock>(*library, task, *gemm);
  }

  [[nodiscard]] Timing time(const compile::Program& candidate, TimedIncumbent* incumbent) override {
    Timed timed;
    const cases::Case& problem = *task().sized.problem;
    const Caps caps{incumbent == nullptr ? emulated_cap_seconds(problem)
                                         : emulated_open_seconds(problem, task().open_seconds),
                    kPromisingSeconds};
    if (auto rejected = take_samples(candidate, incumbent, caps, timed))
      return *std::move(rejected);
    return timed;
  }

 protected:
  [[nodiscard]] KernelLauncher launcher(const Candidate& candidate) const override {
    return {task().device, candidate, task().sized, task().operands, 1};
  }
  // One is enough, and on the inputs the case declares it is the check at full size on them.
  [[nodiscard]] std::optional<Rejection> warm_up(KernelLauncher& launcher, LaunchKind kind,
                                                 RecordSink& first) override {
    Launching launching = launcher.launch(InputKind::declared, task().keys.draw(name_of(kind)),
                                          name_of(kind), none_, first);
    if (auto* rejected = std::get_if<Rejection>(&launching)) return std::move(*rejected);
    return std::nullopt;
  }

  [[nodiscard]] Launching sample(KernelLauncher& launcher, InputKind input_kind,
                                 const std::string& name, RecordSink& records) override {
    double slowest_us = 0;
    for (;;) {  // once for each object of the module at most
      Launching launching =
          launcher.launch(input_kind, task().keys.draw(name), name, none_, records);
      auto* launched = std::get_if<Launched>(&launching);
      if (launched == nullptr) return launching;
      slowest_us = std::max(slowest_us, launched->microseconds);
      launched->microseconds = slowest_us;
      if (!launched->is_underpriced) return launching;
    }
  }
  [[nodiscard]] bool samples_library(int launch) const override {
    return library_ != nullptr && launch % launches_per_library_sample(false) == 0;
  }
  [[nodiscard]] double sample_library() override { return library_->sample(); }

 private:
  std::unique_ptr<LibraryClock> library_;  // null: none does this case
  LaunchSetup none_;
};

}  // namespace

double emulated_cap_seconds(const cases::Case& problem) {
  return std::min(problem.timing.cap_seconds, kCapSeconds);
}

double emulated_open_seconds(const cases::Case& problem, std::optional<double> open_seconds) {
  return std::min(problem.timing.cap_seconds,
                  std::max(kOpenSeconds, open_seconds.value_or(kOpenSeconds)));
}

std::unique_ptr<Stopwatch> emulated_stopwatch(const TimingTask& task, const OpenBlas* library) {
  return std::make_unique<EmulatedStopwatch>(task, library);
}

}  // namespace autokernel::trial
