// Products whose factors are scaled in blocks: mma with .block_scale, D = (A x scales) x (B x
// scales) + C. The elements of a row of A, and of a column of B, have a scale each block.
#pragma once

#include <cstdint>

#include "runtime/abi.h"

namespace emulator::runtime {

struct ScaledProduct {
  MatrixType a{};
  MatrixType b{};
  ScaleType scale{};
  std::uint32_t depth = 0;   // of B; a sparse A holds half as much
  std::uint32_t scales = 0;  // of a row of A and of a column of B: 1, 2 or 4
  bool sparse = false;
};

// Which bytes hold the scales, of which lanes of four (PTX ISA, "Block Scaling for mma.sync").
struct ScaleSelectors {
  std::uint32_t byte_a = 0;
  std::uint32_t thread_a = 0;  // of two pairs of lanes
  std::uint32_t byte_b = 0;
  std::uint32_t thread_b = 0;
};
[[nodiscard]] bool exist(const ScaleSelectors& selectors, std::uint32_t scales);

// What the lanes bring, a word each.
struct ScaleWords {
  const std::uint32_t* a;
  const std::uint32_t* b;
  const std::uint32_t* metadata;  // of a sparse A
};

// D = A x B + D of registers as mma.m16n8k* has them. A product of two scaled elements is exact,
// and is added to the f32 with one rounding, k ascending.
void multiply_scaled(const ScaledProduct& product, const ScaleSelectors& selectors,
                     const std::uint8_t* a, const std::uint8_t* b, const ScaleWords& words,
                     std::uint8_t* d);

}  // namespace emulator::runtime
