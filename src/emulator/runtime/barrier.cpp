#include "emulator/runtime/barrier.h"

#include <bit>

namespace emulator::runtime {
namespace {

std::string takes_part(std::uint32_t threads) {
  return threads == 0 ? "all threads of the block" : std::to_string(threads) + " threads";
}

}  // namespace

std::string barrier_name(std::uint32_t id) {
  return id == kClusterBarrier ? "the cluster's barrier" : "barrier " + std::to_string(id);
}

void Barriers::reset(unsigned warps) {
  for (std::uint32_t rest = begun_; rest != 0; rest &= rest - 1) {
    state_[static_cast<unsigned>(std::countr_zero(rest))] = State();
  }
  begun_ = 0;
  warps_ = warps == kMaxWarps ? ~0U : (1U << warps) - 1;
  ended_ = 0;
  released_ = 0;
}

bool Barriers::full(const State& state) const {
  // As on a GPU a warp counts as 32 threads, also where it is the last of the block and not whole.
  return state.threads == 0 ? (state.present | ended_) == warps_
                            : state.arrived * kWarpSize >= state.threads;
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
               ", but a warp that arrived before, at PTX line " + std::to_string(state.line) +
               ", is there for " + takes_part(state.threads);
    return Outcome::refused;
  } else if (state.reduction != arrival.reduction) {
    refusal_ = barrier_name(arrival.id) +
               " is reached by different kinds of barrier instruction: the first was at PTX line " +
               std::to_string(state.line);
    return Outcome::refused;
  }
  ++state.arrived;
  state.present |= 1U << arrival.warp;
  if (arrival.reduction != Reduction::none) state.add(arrival);
  if (arrival.wait == BarrierWait::sync) {
    state.waiting |= 1U << arrival.warp;
    wait_[arrival.warp] = {arrival.id, arrival.line};
  }
  if (full(state)) {
    release(state);
    released_ &= ~(1U << arrival.warp);
    return Outcome::passes;
  }
  return arrival.wait == BarrierWait::sync ? Outcome::waits : Outcome::passes;
}

Barriers::Outcome Barriers::wait_for_cluster(const Arrival& arrival) {
  State& state = state_[kClusterBarrier];
  // No longer among those present: the barrier has filled since.
  if ((state.present >> arrival.warp & 1U) == 0) return Outcome::passes;
  state.waiting |= 1U << arrival.warp;
  wait_[arrival.warp] = {kClusterBarrier, arrival.line};
  return Outcome::waits;
}

void Barriers::State::add(const Arrival& arrival) {
  count += static_cast<std::uint32_t>(std::popcount(arrival.predicate & arrival.lanes));
  all = all && (arrival.predicate & arrival.lanes) == arrival.lanes;
  any = any || (arrival.predicate & arrival.lanes) != 0;
}

void Barriers::release(State& state) {
  std::uint32_t value = 0;
  switch (state.reduction) {
    case Reduction::none:
      break;
    case Reduction::popc:
      value = state.count;
      break;
    case Reduction::and_:
      value = state.all ? 1 : 0;
      break;
    case Reduction::or_:
      value = state.any ? 1 : 0;
      break;
  }
  for (std::uint32_t rest = state.waiting; rest != 0; rest &= rest - 1) {
    result_[static_cast<unsigned>(std::countr_zero(rest))] = value;
  }
  released_ |= state.waiting;
  state = State();
}

void Barriers::warp_ended(std::uint32_t warp) {
  ended_ |= 1U << warp;
  for (std::uint32_t rest = begun_; rest != 0; rest &= rest - 1) {
    State& state = state_[static_cast<unsigned>(std::countr_zero(rest))];
    if (state.arrived != 0 && state.threads == 0 && full(state)) release(state);
  }
}

std::uint32_t Barriers::take_released() {
  const std::uint32_t released = released_;
  released_ = 0;
  return released;
}

std::uint32_t Barriers::waiting() const {
  std::uint32_t waiting = 0;
  for (const State& state : state_) waiting |= state.waiting;
  return waiting;
}

}  // namespace emulator::runtime
