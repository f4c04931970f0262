// Runs an approximate function on many operands and says how far its results are off.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/functions.h"

namespace emulator::testing::numerics {

// Bits of an operand, or of two.
struct Arguments {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
};

struct Worst {
  double error = 0;
  Arguments at;
};

class Measurement {
 public:
  explicit Measurement(const Function& function);

  // Runs the function on all of them, in one launch.
  void add(const std::vector<Arguments>& operands);

  // For each bound of the function, the largest error within its range.
  [[nodiscard]] const std::vector<Worst>& worst() const { return worst_; }
  // Results that are a number and should be NaN, or infinite and should not, or the other way
  // round; and one of their operands.
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }
  [[nodiscard]] const Arguments& wrong_at() const { return wrong_at_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  void judge(const Arguments& operands, double last, double exact, std::uint64_t result);

  const Function& function_;
  std::vector<Worst> worst_;
  std::uint64_t wrong_ = 0;
  Arguments wrong_at_;
  std::uint64_t count_ = 0;
};

// Every `stride`th operand of the function's type, all of them where it is 1; for f64 and for two
// operands, as many random ones, of which half are edges of the format or near one another.
[[nodiscard]] std::uint64_t operand_count(const Function& function, std::uint64_t stride);
[[nodiscard]] std::vector<Arguments> operands(const Function& function, std::uint64_t stride,
                                              std::uint64_t first, std::uint64_t count);

}  // namespace emulator::testing::numerics
