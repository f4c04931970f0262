#include "programs/capture/error_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace autokernel::programs {

void ErrorBound::add(double value, double error) {
  if (!std::isfinite(value) || !std::isfinite(error)) return;
  const double magnitude = std::fabs(value);
  sum_ += magnitude;
  ++count_;
  constexpr int kCells = 16;  // of a fraction in [0.5, 1): eight
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);
  const std::int32_t place = magnitude == 0
                                 ? std::numeric_limits<std::int32_t>::min()
                                 : exponent * kCells + static_cast<int>(fraction * kCells);
  const auto [found, is_new] = cells_.try_emplace(place, Cell{magnitude, error});
  if (is_new) return;
  found->second.magnitude = std::min(found->second.magnitude, magnitude);
  found->second.error = std::max(found->second.error, error);
}

cases::Tolerance ErrorBound::least() const {
  if (count_ == 0) return {};
  // The upper hull from the left; nothing is allowed to be negative.
  std::vector<Cell> hull = {{0, 0}};
  const auto is_above = [](const Cell& a, const Cell& b, const Cell& c) {
    return (b.error - a.error) * (c.magnitude - a.magnitude) <=
           (c.error - a.error) * (b.magnitude - a.magnitude);
  };
  for (const auto& [place, cell] : cells_) {
    if (cell.magnitude == hull.back().magnitude) {
      hull.back().error = std::max(hull.back().error, cell.error);
      continue;
    }
    while (hull.size() > 1 && is_above(hull[hull.size() - 2], hull.back(), cell)) hull.pop_back();
    hull.push_back(cell);
  }
  const double mean = sum_ / static_cast<double>(count_);
  std::size_t right = 1;
  while (right + 1 < hull.size() && hull[right].magnitude < mean) ++right;
  const double most = std::ranges::max_element(hull, {}, &Cell::error)->error;
  if (right >= hull.size()) return {.absolute = most, .relative = 0};
  const Cell& a = hull[right - 1];
  const Cell& b = hull[right];
  const double slope = (b.error - a.error) / (b.magnitude - a.magnitude);
  if (slope <= 0) return {.absolute = most, .relative = 0};
  return {.absolute = std::max(0.0, a.error - slope * a.magnitude), .relative = slope};
}

}  // namespace autokernel::programs
