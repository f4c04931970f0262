// Products one of whose factors is sparse: mma.sp and wgmma.mma_async.sp. Of each group of elements
// of a row of A half are kept, and metadata says which.
#pragma once

#include <cstdint>

#include "runtime/abi.h"

namespace emulator::runtime {

struct SparseProduct {
  MatrixType a{};
  MatrixType b{};
  MatrixType d{};           // and of C
  std::uint32_t depth = 0;  // of B; A holds half as much
  std::uint32_t selector = 0;
  bool saturate = false;
};

// Where along K the element `k` of those that a row of A holds is. A group of 16 bits or more, four
// of f16 or two of tf32, has four bits of metadata: the places of two elements, or of the two
// halves of one. One of 8 bits has four, of 4 bits four pairs. `metadata` is one word for each lane
// (PTX ISA, "Sparse matrix storage").
[[nodiscard]] std::uint32_t place_along_depth(const SparseProduct& product,
                                              const std::uint32_t* metadata, std::uint32_t row,
                                              std::uint32_t k);

// D = A x B + D of registers as mma.m16n8k* has them, with the rounding of matrix.h.
void multiply_sparse(const SparseProduct& product, const std::uint8_t* a, const std::uint8_t* b,
                     const std::uint32_t* metadata, std::uint8_t* d);

}  // namespace emulator::runtime
