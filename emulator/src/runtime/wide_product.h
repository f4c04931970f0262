// Matrix products whose sums are floats, with the host's vector instructions: the same bits as
// matrix.cpp's plain loops, some ten times faster.
#pragma once

#include <cstdint>

#include "runtime/abi.h"

namespace emulator::runtime {

enum class VectorWidth : std::uint8_t { none, avx2, avx512 };
// The widest that this CPU has.
[[nodiscard]] VectorWidth widest_vectors();

// As multiply() in matrix.h, of floats narrower than f64. The CPU has to have `width`, which is not
// none.
void multiply_wide(VectorWidth width, const MatrixShape& shape, const std::uint8_t* a,
                   const std::uint8_t* b, const std::uint8_t* c, std::uint8_t* d);

}  // namespace emulator::runtime
