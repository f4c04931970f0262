// The products of matrices that matrix.h does not know, element by element: of f64, of integers of
// 8 bits with eight rows, of 4 bits and of single bits, and the four at once of mma.m8n8k4.
#pragma once

#include <cstdint>

#include "runtime/abi.h"

namespace emulator::runtime {

struct OtherProduct {
  unsigned rows = 0;
  unsigned columns = 0;
  unsigned depth = 0;
  MatrixType a{};
  MatrixType b{};
  MatrixType c{};
  MatrixType d{};
  FragmentOrder order{};
  ProductOp op{};
  bool saturate = false;
};

// D = A x B + C of registers as emu_product finds them; D takes the place of C. With the rounding
// of matrix.h: from C on, k ascending, one fused multiplication and addition each.
void multiply(const OtherProduct& product, const std::uint8_t* a, const std::uint8_t* b,
              std::uint8_t* c);

}  // namespace emulator::runtime
