#include "runtime/lane_rendezvous.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace emulator::runtime {
namespace {

std::uint32_t lane_bit(std::uint32_t thread) { return 1U << (thread % kWarpSize); }

}  // namespace

void Meetings::reset(std::uint32_t threads) {
  warps_.resize((threads + kWarpSize - 1) / kWarpSize);
  for (std::uint32_t w = 0; w < warps_.size(); ++w) {
    warps_[w].live = live_lanes(threads, w);
    warps_[w].open.clear();
  }
  leads_.assign(threads, 0);
}

std::uint32_t Meetings::arrive(const MeetingArrival& arrival) {
  Warp& warp = warps_[arrival.thread / kWarpSize];
  auto meeting = std::ranges::find_if(warp.open, [&](const Meeting& open) {
    return open.kind == arrival.kind && open.members == arrival.members;
  });
  if (meeting == warp.open.end()) {
    warp.open.push_back({arrival.kind, arrival.members, 0, arrival.line});
    meeting = std::prev(warp.open.end());
  }
  meeting->arrived |= lane_bit(arrival.thread);
  if ((meeting->members & warp.live & ~meeting->arrived) != 0) return 0;
  const std::uint32_t lanes = meeting->arrived;
  warp.open.erase(meeting);
  return lanes;
}

std::vector<std::uint32_t> Meetings::thread_ended(std::uint32_t thread) {
  Warp& warp = warps_[thread / kWarpSize];
  warp.live &= ~lane_bit(thread);
  std::vector<std::uint32_t> leaders;
  std::erase_if(warp.open, [&](const Meeting& meeting) {
    if ((meeting.members & warp.live & ~meeting.arrived) != 0) return false;
    const auto lowest = static_cast<std::uint32_t>(std::countr_zero(meeting.arrived));
    leaders.push_back(thread / kWarpSize * kWarpSize + lowest);
    leads_[leaders.back()] = meeting.arrived;
    return true;
  });
  return leaders;
}

std::uint32_t Meetings::take_lead(std::uint32_t thread) { return std::exchange(leads_[thread], 0); }

std::optional<Meetings::Wait> Meetings::wait_of(std::uint32_t thread) const {
  if (thread / kWarpSize >= warps_.size()) return std::nullopt;
  const Warp& warp = warps_[thread / kWarpSize];
  for (const Meeting& meeting : warp.open) {
    if ((meeting.arrived & lane_bit(thread)) == 0) continue;
    return Wait{meeting.line, meeting.members & warp.live & ~meeting.arrived};
  }
  return std::nullopt;
}

}  // namespace emulator::runtime
