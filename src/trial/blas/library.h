// The matrix product of a library people use, in fp32: the reference of a result, and what a
// kernel's time is compared with.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "autokernel/cases/case.h"

namespace autokernel::trial {

// left [rows, depth] times right [depth, columns], all row-major.
struct Product {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;
};

// A side of a matrix as libraries count it. Throws Error(usage) where it needs more than 32 bits.
[[nodiscard]] int library_int(std::int64_t size);

class Library {
 public:
  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  virtual ~Library() = default;

  [[nodiscard]] virtual std::string version() const = 0;  // "OpenBLAS 0.3.21"
  // The product of matrices of that type, on the host, with sums and result in fp32.
  virtual void multiply(const Product& product, cases::DType dtype, std::span<const std::byte> left,
                        std::span<const std::byte> right, std::span<float> result) = 0;
};

}  // namespace autokernel::trial
