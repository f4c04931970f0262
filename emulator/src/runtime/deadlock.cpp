#include "runtime/deadlock.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

namespace emulator::runtime {
namespace {

class Deadlock {
 public:
  Deadlock(std::span<const WarpContext> contexts, const Barriers& barriers,
           const Meetings* meetings)
      : contexts_(contexts), barriers_(barriers), meetings_(meetings) {}

  [[nodiscard]] Fault fault() const {
    for (std::uint32_t unit = 0; unit < contexts_.size(); ++unit) {
      if (const auto wait = meeting_of(unit)) return of(unit, wait->line, at_meeting(unit, *wait));
      if (waits_at_barrier(unit)) return of(unit, barriers_.wait_of(unit).line, at_barrier(unit));
    }
    return {.kind = FaultKind::barrier, .text = "the block's threads wait for each other"};
  }

 private:
  [[nodiscard]] Fault of(std::uint32_t unit, std::uint32_t line, std::string text) const {
    return {.kind = FaultKind::barrier,
            .text = std::move(text),
            .line = line,
            .thread = fault_thread(contexts_[unit], contexts_[unit].lane)};
  }
  [[nodiscard]] std::string name_of(std::uint32_t unit) const {
    return thread_name(contexts_[unit], contexts_[unit].lane);
  }
  [[nodiscard]] std::optional<Meetings::Wait> meeting_of(std::uint32_t unit) const {
    return meetings_ == nullptr ? std::nullopt : meetings_->wait_of(unit);
  }
  [[nodiscard]] bool waits_at_barrier(std::uint32_t unit) const {
    const auto& there = barriers_.waiting_at(barriers_.wait_of(unit).id);
    return std::ranges::find(there, unit) != there.end();
  }

  // "which waits at .." of a unit that is missing elsewhere.
  [[nodiscard]] std::string whereabouts(std::uint32_t unit) const {
    if (const auto wait = meeting_of(unit)) {
      return "which waits at the warp-wide instruction at " +
             line_name(contexts_[unit], wait->line);
    }
    if (!waits_at_barrier(unit)) return "which has ended";
    const Barriers::Wait wait = barriers_.wait_of(unit);
    return "which waits at " + barrier_name(wait.id) + " at " +
           line_name(contexts_[unit], wait.line);
  }

  [[nodiscard]] std::string at_meeting(std::uint32_t unit, const Meetings::Wait& wait) const {
    const std::uint32_t missing =
        unit / kWarpSize * kWarpSize + static_cast<std::uint32_t>(std::countr_zero(wait.missing));
    return "a warp-wide instruction can never be carried out: " + name_of(unit) + " of " +
           block_name(contexts_[unit]) + " waits at " + line_name(contexts_[unit], wait.line) +
           "; missing is " + name_of(missing) + ", " + whereabouts(missing);
  }

  [[nodiscard]] std::string at_barrier(std::uint32_t unit) const {
    const Barriers::Wait here = barriers_.wait_of(unit);
    const auto& with_it = barriers_.waiting_at(here.id);
    const std::uint32_t awaited = barriers_.awaited_threads(here.id);
    const bool one = with_it.size() == 1;
    std::string text = barrier_name(here.id) + " can never fill: of ";
    text +=
        awaited == 0 ? std::string("the block's threads") : std::to_string(awaited) + " threads";
    text += " only ";
    text += meetings_ != nullptr ? std::to_string(with_it.size()) + (one ? " waits" : " wait")
                                 : "those of " + std::to_string(with_it.size()) +
                                       (one ? " warp" : " warps") + " wait";
    text += " there (" + name_of(unit) + " of " + block_name(contexts_[unit]) + " at " +
            line_name(contexts_[unit], here.line) + ")";
    return text + missing_from(with_it);
  }

  // Who waits elsewhere says more than who has ended.
  [[nodiscard]] std::string missing_from(const std::vector<std::uint32_t>& present) const {
    std::optional<std::uint32_t> ended;
    for (std::uint32_t unit = 0; unit < contexts_.size(); ++unit) {
      if (std::ranges::find(present, unit) != present.end()) continue;
      if (meeting_of(unit) || waits_at_barrier(unit)) {
        return "; missing is " + name_of(unit) + ", " + whereabouts(unit);
      }
      if (!ended) ended = unit;
    }
    if (!ended) return "; missing are more threads than the block has";
    return "; missing is " + name_of(*ended) + ", " + whereabouts(*ended);
  }

  std::span<const WarpContext> contexts_;
  const Barriers& barriers_;
  const Meetings* meetings_;
};

}  // namespace

Fault deadlock_fault(std::span<const WarpContext> contexts, const Barriers& barriers,
                     const Meetings* meetings) {
  return Deadlock(contexts, barriers, meetings).fault();
}

}  // namespace emulator::runtime
