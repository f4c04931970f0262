#include <algorithm>
#include <chrono>
#include <functional>

#include "trial/conversion.h"
#include "trial/reference.h"
#include "trial/time.h"

namespace autokernel::trial {
namespace {

using Clock = std::chrono::steady_clock;

// A number from the emulated device says nothing about a GPU: it is not worth a minute of waiting.
constexpr double kCapSeconds = 10;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The library's product on inputs of its own, timed by the host's clock since it knows no events.
// The inputs are made once: what a product of floats costs does not depend on them.
class LibraryClock {
 public:
  LibraryClock(const OpenBlas& library, const TimingTask& task, const cases::GemmReference& gemm)
      : library_(&library), product_(product_of(task.sized, gemm.left, gemm.right)) {
    std::vector<Bytes> inputs;
    task.maker.make(task.sized, timed_recipe(*task.sized.problem), task.keys.draw("library"),
                    inputs);
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

}  // namespace

Timing time_emulated(const TimingTask& task, const OpenBlas* library) {
  Timed timed;
  timed.cap_seconds = std::min(task.sized.problem->timing.cap_seconds, kCapSeconds);
  const int wanted = samples_that_fit(task.sized, timed.warnings);
  const auto* gemm = std::get_if<cases::GemmReference>(&task.sized.problem->reference);
  std::optional<LibraryClock> clock;
  if (library != nullptr && gemm != nullptr) clock.emplace(*library, task, *gemm);

  Launcher launcher(task.device, task.candidate, task.sized, task.maker, 1);
  Surroundings none;
  // The one warm-up, on the inputs the case declares, is also the check at full size on them.
  const std::string first = "warm-up launch";
  Launching warm_up = launcher.launch(Recipe::declared, task.keys.draw(first), first, none);
  if (auto* rejected = std::get_if<Rejection>(&warm_up)) return std::move(*rejected);
  timed.records.push_back(std::move(std::get<Launched>(warm_up).record));

  const Recipe recipe = timed_recipe(*task.sized.problem);
  const auto begin = Clock::now();
  for (int i = 1; i <= wanted && (i == 1 || seconds_since(begin) < timed.cap_seconds); ++i) {
    const std::string name = "timed launch " + std::to_string(i);
    const Key key = task.keys.draw(name);
    const bool library_first = key.words[0] % 2 == 0;
    if (clock && library_first) timed.library_us.push_back(clock->sample());
    Launching launching = launcher.launch(recipe, key, name, none);
    if (auto* rejected = std::get_if<Rejection>(&launching)) return std::move(*rejected);
    auto& launched = std::get<Launched>(launching);
    timed.samples_us.push_back(launched.microseconds);
    timed.records.push_back(std::move(launched.record));
    if (clock && !library_first) timed.library_us.push_back(clock->sample());
  }
  timed.seconds = seconds_since(begin);
  return timed;
}

}  // namespace autokernel::trial
