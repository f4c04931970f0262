#include "trial/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "autokernel/base/defences.h"

namespace autokernel::trial {

std::string occasion(const SizedCase& sized, Recipe recipe, const std::string& name) {
  std::string text = fmt::format("{}, {}", description(*sized.problem, recipe), name);
  if (sized.size_name != "default") {
    std::string sizes;
    for (const auto& [symbol, value] : sized.sizes)
      sizes += fmt::format("{}{} = {}", sizes.empty() ? "" : ", ", symbol, value);
    text += " at " + sizes;
  }
  return text;
}

Launcher::Launcher(const driver::Device& device, const Candidate& candidate, const SizedCase& sized,
                   const InputMaker& maker, std::size_t sets)
    : device_(&device),
      candidate_(&candidate),
      sized_(&sized),
      maker_(&maker),
      stream_(device.make_stream()),
      start_(device.make_event()),
      stop_(device.make_event()) {
  for (std::size_t set = 0; set < sets; ++set)
    sets_.emplace_back(device, sized, candidate.workspace());
}

Operands& Launcher::prepare(Recipe recipe, const Key& key) {
  Operands& operands = sets_[next_];
  next_ = (next_ + 1) % sets_.size();
  maker_->make(*sized_, recipe, key, inputs_);
  operands.load(inputs_, key);
  return operands;
}

std::variant<double, Rejection> Launcher::run(Operands& operands, Surroundings& surroundings,
                                              Recipe recipe, const std::string& name) {
  candidate_->restore_objects();
  device_->reset_persisting_l2();

  surroundings.queue_before(stream_);
  auto fault = stream_.record(start_);
  if (!fault) fault = candidate_->launch(stream_, operands);
  if (!fault) fault = stream_.record(stop_);
  surroundings.release();
  // What was queued before a refused launch must be over before its buffers go.
  const auto late = stream_.wait();
  if (!fault) fault = late;
  if (fault) return rejection(*fault, candidate_->launches_text(), occasion(*sized_, recipe, name));
  return stop_.microseconds_since(start_);
}

Launching Launcher::take(Operands& operands, double microseconds, Recipe recipe, const Key& key,
                         const std::string& name) {
  Launched launched;
  launched.microseconds = microseconds;
  launched.record = {sized_, recipe, key, name, operands.outputs()};
  if (!stands(Defence::unchanged_inputs)) return launched;
  if (const auto disturbed = operands.disturbed(inputs_)) {
    return Rejection{Verdict::incorrect,
                     fmt::format("the kernel wrote where it must not: {} ({})", *disturbed,
                                 occasion(*sized_, recipe, name)),
                     ""};
  }
  return launched;
}

Launching Launcher::launch(Recipe recipe, const Key& key, const std::string& name,
                           Surroundings& surroundings) {
  Operands& operands = prepare(recipe, key);
  auto ran = run(operands, surroundings, recipe, name);
  if (auto* rejected = std::get_if<Rejection>(&ran)) return std::move(*rejected);
  return take(operands, std::get<double>(ran), recipe, key, name);
}

Launching Launcher::fastest_of(int times, double long_us, Recipe recipe, const Key& key,
                               const std::string& name) {
  Surroundings none;
  Launched fastest;
  fastest.microseconds = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) {
    const Key own = stands(Defence::fresh_keys) ? repeated(key, i) : key;
    Operands& operands = prepare(recipe, own);
    auto ran = run(operands, none, recipe, name);
    if (auto* rejected = std::get_if<Rejection>(&ran)) return std::move(*rejected);
    const double microseconds = std::get<double>(ran);
    if (microseconds < fastest.microseconds) {
      Launching taken = take(operands, microseconds, recipe, own, name);
      if (std::holds_alternative<Rejection>(taken)) return taken;
      fastest = std::get<Launched>(std::move(taken));
    }
    if (fastest.microseconds >= long_us) break;
  }
  return fastest;
}

std::variant<double, Rejection> Launcher::back_to_back(int times) {
  Operands& operands = sets_[next_];
  const auto begin = std::chrono::steady_clock::now();
  std::optional<driver::Fault> fault;
  for (int i = 0; i < times && !fault; ++i) fault = candidate_->launch(stream_, operands);
  const auto late = stream_.wait();
  if (!fault) fault = late;
  if (fault)
    return rejection(*fault, candidate_->launches_text(),
                     std::to_string(times) + " launches in a row");
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  return took.count() / times;
}

}  // namespace autokernel::trial
