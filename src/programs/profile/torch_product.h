// The matrix product that an operation of PyTorch is, in the words of cuBLAS.
#pragma once

#include <optional>
#include <string>

#include "autokernel/programs/product.h"
#include "programs/profile/trace_event.h"

namespace autokernel::programs {

// PyTorch's matrices are row-major: its C[M,N] = A[M,K] B[K,N] is cuBLAS's product of B and A with
// m = N and n = M, whose result lies in memory as C does. Distances in memory and transpositions
// are those of the inputs' strides; where these were not recorded, the distances are 0. A vector
// that is added is a bias. None for an operation that is no product, or whose shapes do not fit
// one.
[[nodiscard]] std::optional<Product> product_of(const TraceEvent& operation);

}  // namespace autokernel::programs
