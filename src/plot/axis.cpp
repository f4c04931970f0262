#include "plot/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace autokernel::plot {
namespace {

// Above this a linear scale leaves the better half of a run in a strip at its edge.
constexpr double kLogarithmicFrom = 5;
constexpr double kRoom = 0.12;   // of the range, beyond its largest value
constexpr double kStrip = 0.06;  // below 0, for experiments that failed
constexpr double kRoomOfLogarithm = 1.25;
constexpr int kMostTicks = 7;
constexpr double kMostTicksOfLogarithm = 9;

// 1, 2 or 5 times a power of ten: the smallest that is at least `value`.
[[nodiscard]] double round_step(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

[[nodiscard]] std::vector<double> linear_ticks(double low, double high) {
  const double step = round_step((high - low) / kMostTicks);
  std::vector<double> ticks;
  for (double number = std::ceil(low / step); number * step <= high; ++number) {
    ticks.push_back(number * step);
  }
  return ticks;
}

// 1, 2, 5, 10, 20, ...; where those are too many, powers of ten; where those are too few, rounder
// linear ones.
[[nodiscard]] std::vector<double> logarithmic_ticks(double low, double high) {
  for (const auto& factors : {std::vector<double>{1, 2, 3, 5, 7}, {1, 2, 5}, {1}}) {
    std::vector<double> ticks;
    for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10) {
      for (const double factor : factors) {
        if (factor * power >= low && factor * power <= high) ticks.push_back(factor * power);
      }
    }
    if (static_cast<double>(ticks.size()) <= kMostTicksOfLogarithm) return ticks;
  }
  const double step = std::ceil(std::log10(high / low) / kMostTicksOfLogarithm);
  std::vector<double> ticks;
  for (double power = std::ceil(std::log10(low)); power <= std::log10(high); power += step) {
    ticks.push_back(std::pow(10, power));
  }
  return ticks;
}

}  // namespace

double Axis::position(double value) const {
  if (!logarithmic) return (value - low) / (high - low);
  return std::log(value / low) / std::log(high / low);
}

Axis axis_from_zero(const std::vector<double>& values) {
  Axis axis;
  double most = 0;
  for (const double value : values) most = std::max(most, value);
  axis.high = most > 0 ? most * (1 + kRoom) : 1;
  axis.low = -kStrip * axis.high;
  axis.ticks = linear_ticks(0, axis.high);
  return axis;
}

Axis axis_around(const std::vector<double>& values) {
  if (values.empty()) return {.low = 0, .high = 1, .logarithmic = false, .ticks = {0, 1}};
  const auto [least, most] = std::ranges::minmax(values);
  if (most < kLogarithmicFrom * least) {
    Axis axis = axis_from_zero(values);
    axis.low = 0;
    return axis;
  }
  return logarithmic_axis(least / kRoomOfLogarithm, most * kRoomOfLogarithm);
}

Axis logarithmic_axis(double low, double high) {
  return {.low = low, .high = high, .logarithmic = true, .ticks = logarithmic_ticks(low, high)};
}

Axis axis_of_numbers(std::size_t count) {
  const double last = std::max<double>(1, static_cast<double>(count) - 1);
  const double room = std::max(0.4, 0.02 * last);
  Axis axis{.low = -room, .high = last + room, .ticks = {}};
  axis.ticks = linear_ticks(0, last);
  std::erase_if(axis.ticks, [](double tick) { return tick != std::floor(tick); });
  return axis;
}

std::string tick_text(double value) {
  constexpr double kMany = 1e6;
  return value >= kMany ? fmt::format("{:.3g}", value) : fmt::format("{:.10g}", value);
}

}  // namespace autokernel::plot
