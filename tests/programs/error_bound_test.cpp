#include "programs/capture/error_bound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace autokernel::programs {
namespace {

using Errors = std::vector<std::pair<double, double>>;

[[nodiscard]] cases::Tolerance bound_of(const Errors& errors) {
  ErrorBound bound;
  for (const auto& [value, error] : errors) bound.add(value, error);
  const cases::Tolerance least = bound.least();
  for (const auto& [value, error] : errors) {
    if (!std::isfinite(error) || !std::isfinite(value)) continue;
    EXPECT_LE(error, least.allowed(value) * (1 + 1e-12)) << value;
  }
  return least;
}

TEST(ErrorBound, OfErrorsThatGrowWithTheValueIsRelative) {
  Errors errors;
  for (int i = 1; i < 1000; ++i) errors.emplace_back(i, 1e-3 * i);
  const cases::Tolerance least = bound_of(errors);
  EXPECT_NEAR(least.relative, 1e-3, 2e-4);
  EXPECT_LT(least.absolute, 1e-3);
}

TEST(ErrorBound, OfTheSameErrorEverywhereIsAbsolute) {
  Errors errors;
  for (int i = 0; i < 1000; ++i) errors.emplace_back(i % 2 == 0 ? i : -i, 0.5);
  const cases::Tolerance least = bound_of(errors);
  EXPECT_EQ(least.absolute, 0.5);
  EXPECT_EQ(least.relative, 0);
}

TEST(ErrorBound, OfOneLargeResultExcusesNoSmallOnes) {
  Errors errors = {{1e8, 1e3}};
  for (int i = 0; i < 1000; ++i) errors.emplace_back(1e-3, 1e-8);
  const cases::Tolerance least = bound_of(errors);
  EXPECT_LT(least.allowed(1e-3), 3e-8);
}

TEST(ErrorBound, OfExactResultsIsNothing) {
  EXPECT_EQ(bound_of({{1, 0}, {2, 0}, {0, 0}}).allowed(1e9), 0);
  EXPECT_EQ(bound_of({}).allowed(1e9), 0);
}

TEST(ErrorBound, LeavesOutWhatIsNoNumber) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const cases::Tolerance least = bound_of({{1, 0.25}, {kInfinity, 0.5}, {2, kInfinity}});
  EXPECT_EQ(least.allowed(1), 0.25);
}

TEST(ErrorBound, OfAnErrorOfZeroItselfIsAbsolute) {
  EXPECT_GE(bound_of({{0, 0.125}, {4, 0.25}}).absolute, 0.125);
}

}  // namespace
}  // namespace autokernel::programs
