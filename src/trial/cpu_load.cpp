#include "trial/cpu_load.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace autokernel::trial {
namespace {

// proc(5): user, nice, system, idle, iowait, irq, softirq, steal. What follows is in user already.
constexpr std::size_t kColumns = 8;
constexpr std::size_t kIdle = 3;
constexpr std::size_t kWaiting = 4;
// Everything is counted in ticks, a hundredth of a second each: below this an error of one is more
// than a tenth of what there is to tell.
constexpr double kFewestTicks = 20;

}  // namespace

std::optional<CpuTicks> cpu_ticks(std::string_view stat) {
  constexpr std::string_view kName = "cpu ";
  const std::size_t end = stat.find('\n');
  if (end == std::string_view::npos || !stat.starts_with(kName)) return {};
  const char* at = stat.data() + kName.size();
  const char* const stop = stat.data() + end;
  std::array<std::uint64_t, kColumns> columns{};
  for (std::uint64_t& column : columns) {
    while (at != stop && *at == ' ') ++at;
    const auto [rest, failure] = std::from_chars(at, stop, column);
    if (failure != std::errc()) return {};
    at = rest;
  }
  CpuTicks ticks;
  for (std::size_t i = 0; i < kColumns; ++i) {
    (i == kIdle || i == kWaiting ? ticks.idle : ticks.busy) += columns.at(i);
  }
  return ticks;
}

std::optional<double> share_of_others(const CpuTicks& before, const CpuTicks& after,
                                      double own_ticks) {
  const double busy = static_cast<double>(after.busy) - static_cast<double>(before.busy);
  const double idle = static_cast<double>(after.idle) - static_cast<double>(before.idle);
  // The kernel does not promise that waiting never runs backwards.
  const double all = busy + std::max(0.0, idle);
  if (busy < 0 || all < kFewestTicks) return {};
  return std::clamp((busy - own_ticks) / all, 0.0, 1.0);
}

}  // namespace autokernel::trial
