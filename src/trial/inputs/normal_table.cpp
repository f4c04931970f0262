#include "trial/inputs/normal_table.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <numbers>

namespace autokernel::trial {
namespace {

// The outermost quantiles are infinite; this share is cut off at either end instead.
constexpr double kTail = 0.5 / (1U << 16U) / 2;

double quantile(double share) {
  const double inside = std::clamp(share, kTail, 1 - kTail);
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * inside);
}

}  // namespace

NormalTable::NormalTable() {
  for (std::size_t i = 0; i <= kSegments; ++i) {
    quantiles_[i] = static_cast<float>(quantile(static_cast<double>(i) / kSegments));
  }
}

}  // namespace autokernel::trial
