// The instructions random programs are made of: how each is written, and what it computes on one
// thread's values, by the PTX manual. Bits in, bits out; nothing here is shared with the emulator.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace emulator::testing::random {

// Classes of registers. Numbers of 16 bits, f16 and bf16 are in b16; pairs of them in b32.
enum class Kind : std::uint8_t { pred, b16, b32, b64, f32, f64 };
inline constexpr std::size_t kKinds = 6;
[[nodiscard]] unsigned bits_of(Kind kind);

// The bits of a double in the register FROM, into TO. PTX leaves open which NaN arithmetic gives,
// and GPUs keep payloads in some places: every NaN is made the one of bits_of_double().
inline constexpr const char* kBitsOfDouble =
    "set.nan.u32.f64 {t}, {from}, {from}; slct.f64.s32 {w}, {from}, 0d7FFFFFFFFFFFFFFF, {t}; "
    "mov.b64 {to}, {w};";

using Operands = std::array<std::uint64_t, 3>;

struct Operation {
  // The statement, with D for the result, A, B and C for the operands and T, U, V and W for
  // registers of b32, b16, b64 and f64 that nobody else uses.
  std::string text;
  Kind result;
  std::vector<Kind> operands;
  std::function<std::uint64_t(const Operands&)> compute;
  // Whether its last operand may be written as a number.
  bool takes_number = false;

  // Guards go before a single instruction only.
  [[nodiscard]] bool single() const { return text.find(';') == text.size() - 1; }
};

// All of them, always in the same order.
[[nodiscard]] const std::vector<Operation>& operations();

void add_integer_operations(std::vector<Operation>& all);
void add_bit_operations(std::vector<Operation>& all);
void add_float_operations(std::vector<Operation>& all);
void add_half_operations(std::vector<Operation>& all);
void add_conversions(std::vector<Operation>& all);
void add_choices(std::vector<Operation>& all);

}  // namespace emulator::testing::random
