// Products that kernels of ours compute in the place of cuBLAS's: the forwarding driver
// (inject/driver/products.h) has them, where a program runs with it.
#pragma once

#include <cstdint>

#include "blas.h"
#include "product.h"

namespace recording {

// Whether any may be replaced in this process.
[[nodiscard]] bool replaces_products();

// Which of them it is, from 1; 0: it is computed as ever.
[[nodiscard]] std::uint32_t replacement_of(const Product& product);

// A call for a product: its matrices as cuBLAS names them, and where it is queued.
struct ProductOperands {
  const void* a;
  const void* b;
  void* d;
  void* stream;
};
[[nodiscard]] blas::Status replace_product(std::uint32_t replacement,
                                           const ProductOperands& operands,
                                           blas::Status (*original)(void*), void* of_original);

// The same with the call as it was made, which gives cuBLAS's status.
template <typename Original>
[[nodiscard]] blas::Status replaced(std::uint32_t replacement, const ProductOperands& operands,
                                    Original original) {
  return replace_product(
      replacement, operands, [](void* call) { return (*static_cast<Original*>(call))(); },
      &original);
}

}  // namespace recording
