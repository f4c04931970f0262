#include "notify/retry_pause.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace autokernel::notify {
namespace {

using std::chrono::milliseconds;

// A date, which HTTP allows as well, no such service sends: none. A number without end is one, too.
[[nodiscard]] std::optional<milliseconds> seconds_asked_for(const std::string& retry_after) {
  constexpr std::int64_t kForever = 1'000'000;
  const bool is_number = !retry_after.empty() && std::ranges::all_of(retry_after, [](char c) {
    return c >= '0' && c <= '9';
  });
  if (!is_number) return {};
  std::int64_t seconds = 0;
  const auto [stop, error] =
      std::from_chars(retry_after.data(), retry_after.data() + retry_after.size(), seconds);
  if (error != std::errc()) seconds = kForever;
  return std::chrono::seconds(std::min(seconds, kForever));
}

}  // namespace

std::optional<milliseconds> pause_after(int attempts, const std::string& retry_after, double chance,
                                        const DeliveryLimits& limits) {
  milliseconds pause = limits.first_pause;
  for (int i = 1; i < attempts && pause < limits.longest_pause; ++i) pause *= 2;
  pause = std::min(pause, limits.longest_pause);
  const double share = 0.5 + 0.5 * std::clamp(chance, 0.0, 1.0);
  pause = milliseconds(static_cast<std::int64_t>(share * static_cast<double>(pause.count())));
  const auto asked_for = seconds_asked_for(retry_after);
  if (!asked_for) return pause;
  if (*asked_for > limits.longest_retry_after) return {};
  return std::max(pause, *asked_for);
}

}  // namespace autokernel::notify
