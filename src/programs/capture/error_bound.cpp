#include "programs/capture/error_bound.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace autokernel::programs {

namespace {

// The exponent of a double and the first three bits behind it.
constexpr unsigned kCellShift = 49;
constexpr std::size_t kCells = std::size_t{1} << (63 - kCellShift);

}  // namespace

void ErrorBound::add(double value, double error) {
  if (!std::isfinite(value) || !std::isfinite(error)) return;
  const double magnitude = std::fabs(value);
  sum_ += magnitude;
  ++count_;
  if (cells_.empty()) cells_.resize(kCells);
  Cell& cell = cells_[std::bit_cast<std::uint64_t>(magnitude) >> kCellShift];
  cell.magnitude = std::min(cell.magnitude, magnitude);
  cell.error = std::max(cell.error, error);
}

void ErrorBound::add(const ErrorBound& other) {
  if (other.count_ == 0) return;
  sum_ += other.sum_;
  count_ += other.count_;
  cells_.resize(kCells);
  for (std::size_t i = 0; i < kCells; ++i) {
    cells_[i].magnitude = std::min(cells_[i].magnitude, other.cells_[i].magnitude);
    cells_[i].error = std::max(cells_[i].error, other.cells_[i].error);
  }
}

cases::Tolerance ErrorBound::least() const {
  if (count_ == 0) return {};
  // The upper hull from the left; nothing is allowed to be negative.
  std::vector<Cell> hull = {{0, 0}};
  const auto is_above = [](const Cell& a, const Cell& b, const Cell& c) {
    return (b.error - a.error) * (c.magnitude - a.magnitude) <=
           (c.error - a.error) * (b.magnitude - a.magnitude);
  };
  for (const Cell& cell : cells_) {
    if (cell.error < 0) continue;
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
