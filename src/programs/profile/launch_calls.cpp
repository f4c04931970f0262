#include "programs/profile/launch_calls.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

namespace autokernel::programs {
namespace {

[[nodiscard]] auto order_of(const Call& call) {
  return std::tuple(call.correlation, call.process, call.start);
}

[[nodiscard]] bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

CallKind kind_of_call(std::string_view function) {
  const bool is_api = function.starts_with("cu") || function.starts_with("hip");
  if (!is_api || !has(function, "Launch")) return CallKind::other;
  // A function of the host that a stream calls, and what is only asked or set.
  for (const std::string_view other : {"HostFunc", "Attribute", "Get", "Set", "Configuration"}) {
    if (has(function, other)) return CallKind::other;
  }
  return has(function, "GraphLaunch") ? CallKind::graph_launch : CallKind::kernel_launch;
}

LaunchCalls::LaunchCalls(std::vector<Call> calls) : calls_(std::move(calls)) {
  std::ranges::sort(calls_, {}, order_of);
  count_launches();
}

void LaunchCalls::count_launches() {
  const Call* before = nullptr;
  for (const Call& call : calls_) {
    if (call.kind == CallKind::other) continue;
    const bool is_same = before != nullptr && call.correlation != 0 &&
                         before->correlation == call.correlation && before->process == call.process;
    before = &call;
    if (is_same) continue;
    ++launches_;
    if (call.kind == CallKind::graph_launch) ++graph_launches_;
  }
}

// Of calls with one correlation in one process. The device's clock may be a little behind the
// host's: where all seem to come after, it is the first one.
const Call& LaunchCalls::last_before(Nanoseconds start, std::span<const Call> calls) {
  const auto after = std::ranges::upper_bound(calls, start, {}, &Call::start);
  return after == calls.begin() ? calls.front() : *(after - 1);
}

const Call* LaunchCalls::of(std::int64_t correlation, std::optional<std::uint32_t> process,
                            Nanoseconds start) const {
  if (correlation == 0) return nullptr;
  std::span<const Call> left =
      std::ranges::equal_range(calls_, correlation, {}, &Call::correlation);
  if (process) {
    left = std::ranges::equal_range(left, *process, {}, &Call::process);
    return left.empty() ? nullptr : &last_before(start, left);
  }
  const Call* found = nullptr;
  while (!left.empty()) {
    const std::span<const Call> of_process =
        std::ranges::equal_range(left, left.front().process, {}, &Call::process);
    const Call& last = last_before(start, of_process);
    const bool is_nearer =
        found == nullptr ||
        (last.start <= start && (found->start > start || found->start < last.start));
    if (is_nearer) found = &last;
    left = left.subspan(of_process.size());
  }
  return found;
}

void count_launches(const LaunchCalls& calls, Profile& profile) {
  if (calls.launches() == 0) return;
  profile.asked = calls.launches();
  profile.graph_launches = calls.graph_launches();
}

}  // namespace autokernel::programs
