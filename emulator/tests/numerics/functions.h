// The approximate functions of PTX: what each is of its operands, and how near to it the PTX ISA
// (version 9.4) wants the result to be.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace emulator::testing::numerics {

enum class FloatType : std::uint8_t { f16, bf16, f32, f64 };

enum class Measure : std::uint8_t { ulp, relative, absolute };

// What the result may be off by where the last operand's magnitude is in [low, high].
struct Bound {
  Measure measure;
  double most;  // infinity where PTX names no bound
  double low;
  double high;
  const char* where;  // the same range in words
};

// The values for many operands at once, to all but the last digits of a double.
using Exact = void (*)(std::span<const double> a, std::span<const double> b,
                       std::span<double> values);

struct Function {
  std::string name;  // the instruction, as PTX writes it
  FloatType type;
  unsigned operands;
  bool flushes;  // subnormal operands and results are zeros
  Exact exact;
  const char* section;  // of the PTX ISA, about this function
  std::vector<Bound> bounds;
};

[[nodiscard]] const std::vector<Function>& functions();

}  // namespace emulator::testing::numerics
