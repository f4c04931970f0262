#include "trial/inputs/normal_table.h"

#include <algorithm>

#include "autokernel/base/probability.h"

namespace autokernel::trial {
namespace {

// The outermost quantiles are infinite; this share is cut off at either end instead.
constexpr double kTail = 0.5 / (1U << 16U) / 2;

double quantile(double share) { return normal_quantile(std::clamp(share, kTail, 1 - kTail)); }

}  // namespace

NormalTable::NormalTable() {
  for (std::size_t i = 0; i <= kSegments; ++i) {
    quantiles_[i] = static_cast<float>(quantile(static_cast<double>(i) / kSegments));
  }
}

}  // namespace autokernel::trial
