#include <gtest/gtest.h>

#include <ostream>

#include "numerics/measurement.h"

namespace emulator::testing::numerics {

void PrintTo(const Function& function, std::ostream* out) { *out << function.name; }

namespace {

// A prime, so that all exponents and last digits come up: 2^32 / 65537 operands.
constexpr std::uint64_t kStride = 65537;

class ApproximateFunction : public ::testing::TestWithParam<Function> {};
INSTANTIATE_TEST_SUITE_P(Each, ApproximateFunction, ::testing::ValuesIn(functions()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           for (char& c : name) c = c == '.' ? '_' : c;
                           return name;
                         });

TEST_P(ApproximateFunction, IsAsNearAsPtxAsks) {
  const Function& function = GetParam();
  Measurement measurement(function);
  measurement.add(operands(function, kStride, 0, operand_count(function, kStride)));

  EXPECT_EQ(measurement.wrong(), 0)
      << std::hex << measurement.wrong_at().a << ", " << measurement.wrong_at().b;
  for (std::size_t i = 0; i < function.bounds.size(); ++i) {
    EXPECT_LE(measurement.worst()[i].error, function.bounds[i].most)
        << function.bounds[i].where << " at " << std::hex << measurement.worst()[i].at.a << ", "
        << measurement.worst()[i].at.b;
  }
}

}  // namespace
}  // namespace emulator::testing::numerics
