#include "programs/profile/trace_time.h"

#include <cmath>

#include "autokernel/base/number.h"

namespace autokernel::programs {
namespace {

// Differences of two such times, and sums of a few, do not overflow.
constexpr std::int64_t kLatest = std::int64_t{1} << 61;

[[nodiscard]] bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[nodiscard]] std::optional<std::int64_t> rounded(double nanoseconds) {
  if (!(std::fabs(nanoseconds) <= static_cast<double>(kLatest))) return std::nullopt;
  return std::llround(nanoseconds);
}

[[nodiscard]] std::optional<std::int64_t> with_exponent(std::string_view text) {
  double value = 0;
  return read_number(text, value) ? rounded(value * 1000) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> nanoseconds_in(std::string_view microseconds) {
  std::string_view text = microseconds;
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  std::int64_t value = 0;
  int decimals = -1;  // before the point
  int next_digit = 0;
  for (const char c : text) {
    if (c == '.' && decimals < 0) {
      decimals = 0;
    } else if (!is_digit(c)) {
      return with_exponent(microseconds);
    } else if (decimals == 3) {
      next_digit = c - '0';
      ++decimals;
    } else if (decimals < 3) {
      if (value > kLatest / 10) return std::nullopt;
      value = value * 10 + (c - '0');
      if (decimals >= 0) ++decimals;
    }
  }
  for (int missing = decimals < 0 ? 0 : decimals; missing < 3; ++missing) {
    if (value > kLatest / 10) return std::nullopt;
    value *= 10;
  }
  if (next_digit >= 5) ++value;
  if (text.empty() || value > kLatest) return std::nullopt;
  return is_negative ? -value : value;
}

}  // namespace autokernel::programs
