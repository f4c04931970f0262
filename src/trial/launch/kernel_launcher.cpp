#include "trial/launch/kernel_launcher.h"

#include <fmt/format.h>

#include <chrono>

#include "autokernel/base/defences.h"

namespace autokernel::trial {
namespace {

[[nodiscard]] bool is_reset_timed() {
  return stands(Defence::timed_restoring) && stands(Defence::restored_module);
}

}  // namespace

std::string occasion(const SizedCase& sized, InputKind input_kind, const std::string& name) {
  std::string text = fmt::format("{}, {}", description(*sized.problem, input_kind), name);
  if (sized.size_name != "default") {
    std::string sizes;
    for (const auto& [symbol, value] : cases::symbol_texts(*sized.problem, sized.size_name))
      sizes += fmt::format("{}{} = {}", sizes.empty() ? "" : ", ", symbol, value);
    text += " at " + sizes;
  }
  return text;
}

KernelLauncher::KernelLauncher(const driver::Device& device, const Candidate& candidate,
                               const SizedCase& sized, OperandSource& source, std::size_t sets)
    : device_(&device),
      candidate_(&candidate),
      sized_(&sized),
      source_(&source),
      memory_(device, sets * Operands::required_bytes(device, sized, candidate.extras())),
      stream_(device.make_stream()),
      start_(device.make_event()),
      stop_(device.make_event()),
      restore_cost_(device, candidate.objects()) {
  for (std::size_t set = 0; set < sets; ++set)
    sets_.emplace_back(device, sized, candidate.extras(), memory_);
}

Launching KernelLauncher::launch(InputKind input_kind, const Key& key, const std::string& name,
                                 LaunchSetup& setup, RecordSink& records) {
  Operands& operands = sets_[next_];
  next_ = (next_ + 1) % sets_.size();
  const Occasion of{sized_, input_kind, key};
  source_->load(operands, of, stream_);
  candidate_->restore_objects();
  device_->reset_persisting_l2();

  setup.queue_before(stream_);
  auto fault = stream_.record(start_);
  if (!fault) fault = restore_cost_.queue(stream_);
  if (!fault) fault = candidate_->launch(stream_, operands);
  if (!fault) fault = stream_.record(stop_);
  setup.release();
  // What was queued before a refused launch must be over before its buffers go.
  const auto late = stream_.wait();
  if (!fault) fault = late;
  if (fault) {
    return rejection(*fault, candidate_->launches_text(), occasion(*sized_, input_kind, name),
                     operands.named());
  }
  setup.over();

  const bool is_underpriced = is_reset_timed() && restore_cost_.note_changes();
  if (stands(Defence::unchanged_inputs)) {
    if (const auto disturbed = source_->disturbed(operands, of, stream_)) {
      return Rejection{Verdict::incorrect,
                       fmt::format("the kernel wrote where it must not: {} ({})", disturbed->what,
                                   occasion(*sized_, input_kind, name)),
                       "", disturbed->cause};
    }
  }
  records.take({sized_, input_kind, key, name, {}}, operands, source_->staging());
  return Launched{stop_.microseconds_since(start_), is_underpriced};
}

std::variant<double, Rejection> KernelLauncher::back_to_back(int times) {
  Operands& operands = sets_[next_];
  const auto begin = std::chrono::steady_clock::now();
  std::optional<driver::Fault> fault;
  for (int i = 0; i < times && !fault; ++i) {
    fault = restore_cost_.queue(stream_);
    if (!fault) fault = candidate_->launch(stream_, operands);
  }
  const auto late = stream_.wait();
  if (!fault) fault = late;
  if (fault)
    return rejection(*fault, candidate_->launches_text(),
                     std::to_string(times) + " launches in a row", operands.named());
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  return took.count() / times;
}

}  // namespace autokernel::trial
