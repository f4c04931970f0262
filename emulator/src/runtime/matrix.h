// What tensor cores compute: D = A x B + C on the fragments that the lanes of a warp hold.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/abi.h"

namespace emulator::runtime {

// Where element (row, column) of a fragment lies, as PTX lays it out for mma.m16n8k*: A is 16 x
// depth, B depth x 8, C and D 16 x 8. An element has `bits` of 8 to 64; a register has 32, or 64
// for f64.
struct Slot {
  unsigned lane;
  unsigned reg;
  unsigned element;  // in the register, the lowest bits first
};
[[nodiscard]] Slot slot_of_a(unsigned row, unsigned k, unsigned bits);
[[nodiscard]] Slot slot_of_b(unsigned k, unsigned column, unsigned bits);
[[nodiscard]] Slot slot_of_c(unsigned row, unsigned column, unsigned bits);

// The value of an element's lowest bits, of a float type of up to 32 bits.
[[nodiscard]] float float_of(MatrixType type, std::uint32_t bits);

// One mma: registers of A, B and C as emu_mma finds them, those of D as it leaves them.
//
// Floats are multiplied and added in f32 with one rounding (fma), from C on, k ascending; D in f16
// is rounded at the end. f64 the same way in f64. Integers are exact; what does not fit in s32
// wraps around, or is clamped where `saturate` is set. A GPU adds in another order, and rounds
// otherwise.
void multiply(const MatrixShape& shape, const std::uint8_t* a, const std::uint8_t* b,
              const std::uint8_t* c, std::uint8_t* d);
// The same on any CPU.
void multiply_plainly(const MatrixShape& shape, const std::uint8_t* a, const std::uint8_t* b,
                      const std::uint8_t* c, std::uint8_t* d);

struct FragmentShape {
  unsigned rows = 0;  // of A, C and D
  unsigned columns = 0;
  unsigned depth = 0;
  MatrixType a{};
  MatrixType b{};
  MatrixType c{};
  MatrixType d{};
  bool saturate = false;
};
// The same product, with the same rounding, of wmma's fragments, whose elements lie row after row
// in their registers, lane after lane; D takes the place of C.
void multiply_fragments(const FragmentShape& shape, const std::uint8_t* a, const std::uint8_t* b,
                        std::uint8_t* c);

}  // namespace emulator::runtime
