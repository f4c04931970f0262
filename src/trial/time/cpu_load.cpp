#include "trial/time/cpu_load.h"

#include <algorithm>
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

// A number at the front of `text`, which loses it and the spaces before it.
template <typename Number>
bool take(std::string_view& text, Number& number) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return failure == std::errc();
}

}  // namespace

std::optional<CpuTicks> cpu_ticks(std::string_view stat,
                                  const std::function<bool(std::size_t)>& counts) {
  // A line of one processor is "cpu7 1 2 3"; that of all together has no number.
  constexpr std::string_view kName = "cpu";
  std::optional<CpuTicks> ticks;
  for (std::size_t end = 0; (end = stat.find('\n')) != std::string_view::npos;
       stat.remove_prefix(end + 1)) {
    std::string_view line = stat.substr(0, end);
    if (!line.starts_with(kName)) break;  // what follows is about interrupts
    line.remove_prefix(kName.size());
    std::size_t cpu = 0;
    if (line.starts_with(' ')) continue;
    if (!take(line, cpu)) return {};
    if (!counts(cpu)) continue;
    if (!ticks) ticks.emplace();
    for (std::size_t i = 0; i < kColumns; ++i) {
      std::uint64_t column = 0;
      if (!take(line, column)) return {};
      (i == kIdle || i == kWaiting ? ticks->idle : ticks->busy) += column;
    }
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
