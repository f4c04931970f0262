#include "runtime/barrier.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace emulator::runtime {
namespace {

std::string takes_part(std::uint32_t threads) {
  return threads == 0 ? "all threads of the block" : std::to_string(threads) + " threads";
}

constexpr std::uint32_t kWordBits = 64;

}  // namespace

std::string barrier_name(std::uint32_t id) {
  return id == kClusterBarrier ? "the cluster's barrier" : "barrier " + std::to_string(id);
}

void Barriers::reset(unsigned units, bool holds_cluster) {
  holds_cluster_ = holds_cluster;
  cluster_is_full_ = false;
  for (std::uint32_t rest = begun_; rest != 0; rest &= rest - 1) {
    state_[static_cast<unsigned>(std::countr_zero(rest))].clear();
  }
  begun_ = 0;
  unfinished_ = units;
  released_.clear();
  if (wait_.size() < units) {
    wait_.resize(units);
    result_.resize(units);
    for (State& state : state_) state.present.resize((units + kWordBits - 1) / kWordBits);
  }
}

bool Barriers::full(const State& state) const {
  return state.threads == 0 ? state.present_count == unfinished_ : state.counted >= state.threads;
}

Barriers::Outcome Barriers::arrive(const Arrival& arrival) {
  if (arrival.wait == BarrierWait::cluster_wait) return wait_for_cluster(arrival);
  if (arrival.id >= kBarriers && arrival.wait != BarrierWait::cluster_arrive) {
    refusal_ =
        "barrier " + std::to_string(arrival.id) + " does not exist: a block has barriers 0 to 15";
    return Outcome::refused;
  }
  if (arrival.threads % kWarpSize != 0) {
    refusal_ = barrier_name(arrival.id) + " is to hold " + takes_part(arrival.threads) +
               ", which is no multiple of the warp size";
    return Outcome::refused;
  }
  State& state = state_[arrival.id];
  if (state.arrived == 0) {
    state.threads = arrival.threads;
    state.line = arrival.line;
    state.reduction = arrival.reduction;
    begun_ |= 1U << arrival.id;
  } else if (state.threads != arrival.threads) {
    refusal_ = barrier_name(arrival.id) + " is reached for " + takes_part(arrival.threads) +
               ", but who arrived there first, at " + line_name(lines_, state.line) +
               ", is there for " + takes_part(state.threads);
    return Outcome::refused;
  } else if (state.reduction != arrival.reduction) {
    refusal_ = barrier_name(arrival.id) +
               " is reached by different kinds of barrier instruction: the first was at " +
               line_name(lines_, state.line);
    return Outcome::refused;
  }
  ++state.arrived;
  state.enter(arrival.unit);
  state.counted += arrival.counts;
  if (arrival.reduction != Reduction::none) state.add(arrival);
  if (full(state)) {
    result_[arrival.unit] = state.reduced();
    fill(arrival.id);
    return Outcome::passes;
  }
  if (arrival.wait != BarrierWait::sync) return Outcome::passes;
  state.waiting.push_back(arrival.unit);
  wait_[arrival.unit] = {arrival.id, arrival.line};
  return Outcome::waits;
}

Barriers::Outcome Barriers::wait_for_cluster(const Arrival& arrival) {
  State& state = state_[kClusterBarrier];
  // No longer among those present: the barrier has filled since.
  if (!state.holds(arrival.unit)) return Outcome::passes;
  state.waiting.push_back(arrival.unit);
  wait_[arrival.unit] = {kClusterBarrier, arrival.line};
  return Outcome::waits;
}

bool Barriers::State::holds(std::uint32_t unit) const {
  return (present[unit / kWordBits] >> (unit % kWordBits) & 1U) != 0;
}
void Barriers::State::enter(std::uint32_t unit) {
  if (holds(unit)) return;
  present[unit / kWordBits] |= std::uint64_t{1} << (unit % kWordBits);
  ++present_count;
}
void Barriers::State::leave(std::uint32_t unit) {
  if (!holds(unit)) return;
  present[unit / kWordBits] &= ~(std::uint64_t{1} << (unit % kWordBits));
  --present_count;
}

void Barriers::State::add(const Arrival& arrival) {
  count += static_cast<std::uint32_t>(std::popcount(arrival.predicate & arrival.lanes));
  all = all && (arrival.predicate & arrival.lanes) == arrival.lanes;
  any = any || (arrival.predicate & arrival.lanes) != 0;
}

std::uint32_t Barriers::State::reduced() const {
  switch (reduction) {
    case Reduction::none:
      break;
    case Reduction::popc:
      return count;
    case Reduction::and_:
      return all ? 1 : 0;
    case Reduction::or_:
      return any ? 1 : 0;
  }
  return 0;
}

void Barriers::State::clear() {
  waiting.clear();
  std::ranges::fill(present, 0);
  State fresh;
  fresh.waiting = std::move(waiting);
  fresh.present = std::move(present);
  *this = std::move(fresh);
}

void Barriers::release(State& state) {
  const std::uint32_t value = state.reduced();
  for (const std::uint32_t unit : state.waiting) {
    result_[unit] = value;
    released_.push_back(unit);
  }
  state.clear();
}

void Barriers::fill(std::uint32_t id) {
  if (id == kClusterBarrier && holds_cluster_) {
    cluster_is_full_ = true;
  } else {
    release(state_[id]);
  }
}

void Barriers::leave_cluster() {
  cluster_is_full_ = false;
  release(state_[kClusterBarrier]);
}

void Barriers::leave_all(std::uint32_t unit) {
  for (std::uint32_t rest = begun_; rest != 0; rest &= rest - 1) {
    const auto id = static_cast<std::uint32_t>(std::countr_zero(rest));
    State& state = state_[id];
    state.leave(unit);
    if (state.arrived != 0 && state.threads == 0 && full(state)) fill(id);
  }
}

std::vector<std::uint32_t> Barriers::waiting() const {
  std::vector<std::uint32_t> all;
  for (const State& state : state_) {
    all.insert(all.end(), state.waiting.begin(), state.waiting.end());
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace emulator::runtime
