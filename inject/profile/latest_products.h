// Numbers of the products that were called for last. A layer of a model calls for the same ones
// again and again, and the text of one takes microseconds to write.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "product.h"

namespace recording {

// Not for several threads at once.
class LatestProducts {
 public:
  struct Numbered {
    Product product;
    std::uint32_t number = 0;
    bool is_known = false;
  };
  // Where that product's is, or another's that it takes the place of.
  [[nodiscard]] Numbered& like(const Product& product) {
    std::uint64_t hash = 0;
    for (const std::int64_t extent :
         {product.m, product.n, product.k, product.batch, product.a.leading_dimension,
          std::int64_t{product.a.type}, std::int64_t{product.transpose_a}}) {
      hash = (hash ^ static_cast<std::uint64_t>(extent)) * kSpread;
    }
    return latest_[hash >> kIndexShift];
  }

 private:
  static constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;
  static constexpr unsigned kIndexShift = 56;  // leaves eight bits
  static constexpr std::size_t kCount = 256;
  std::array<Numbered, kCount> latest_{};
};

}  // namespace recording
