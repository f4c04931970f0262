#include "lab/load/arrivals.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

namespace autokernel::lab {
namespace {

constexpr std::size_t kArrivals = 20'000;

std::vector<double> gaps_at(double rate) {
  PoissonArrivals arrivals(rate, 1);
  std::vector<double> gaps;
  double before = 0;
  for (std::size_t i = 0; i < kArrivals; ++i) {
    const double at = arrivals.next();
    gaps.push_back(at - before);
    before = at;
  }
  return gaps;
}

TEST(PoissonArrivals, HaveTheirRate) {
  double sum = 0;
  for (const double gap : gaps_at(50)) sum += gap;
  // The standard error is 1 / sqrt(20000) = 0.7 %.
  EXPECT_NEAR(kArrivals / sum, 50, 50 * 0.03);
}

TEST(PoissonArrivals, HaveExponentialGaps) {
  std::size_t longer_than_mean = 0;
  std::size_t longer_than_three = 0;
  for (const double gap : gaps_at(50)) {
    if (gap > 1.0 / 50) ++longer_than_mean;
    if (gap > 3.0 / 50) ++longer_than_three;
  }
  EXPECT_NEAR(static_cast<double>(longer_than_mean) / kArrivals, std::exp(-1), 0.015);
  EXPECT_NEAR(static_cast<double>(longer_than_three) / kArrivals, std::exp(-3), 0.007);
}

TEST(PoissonArrivals, AreTheSameForTheSameSeed) {
  PoissonArrivals one(10, 3);
  PoissonArrivals other(10, 3);
  EXPECT_EQ(one.next(), other.next());
  EXPECT_EQ(one.next(), other.next());
}

}  // namespace
}  // namespace autokernel::lab
