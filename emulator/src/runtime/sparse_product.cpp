#include "runtime/sparse_product.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/fragment_elements.h"
#include "runtime/half.h"

namespace emulator::runtime {
namespace {

constexpr unsigned kRows = 16;
constexpr unsigned kColumns = 8;
constexpr unsigned kGroupBits = 4;  // of metadata

// The metadata of a group of a row. A row's groups lie behind each other in the words of one lane
// of four, or of two or four.
unsigned metadata_of(const SparseProduct& product, const std::uint32_t* metadata, unsigned row,
                     unsigned group) {
  const unsigned quad = row % 8 * 4;
  const unsigned lower = row / 8;  // of the two rows that four lanes hold
  const unsigned elements = bits_of(product.a) == 32 ? 2 : bits_of(product.a) == 4 ? 8 : 4;
  const unsigned groups = product.depth / elements;
  if (bits_of(product.a) >= 16) {
    // A word is four groups of either row.
    const unsigned lane = quad + product.selector * (groups / 4) + group / 4;
    return metadata[lane] >> (16 * lower + kGroupBits * (group % 4)) & 0xFU;
  }
  // A word is eight groups of one row.
  const unsigned lane = quad + product.selector * 2 + group / 8 * 2 + lower;
  return metadata[lane] >> (kGroupBits * (group % 8)) & 0xFU;
}

}  // namespace

std::uint32_t place_along_depth(const SparseProduct& product, const std::uint32_t* metadata,
                                std::uint32_t row, std::uint32_t k) {
  switch (bits_of(product.a)) {
    case 32: {  // of two one, whose lower half is at place 0 or 2 of four
      const unsigned places = metadata_of(product, metadata, row, k);
      return k * 2 + (places >> 1U & 1U);
    }
    case 4: {  // pairs
      const unsigned places = metadata_of(product, metadata, row, k / 4);
      return k / 4 * 8 + (places >> (k / 2 % 2 * 2) & 3U) * 2 + k % 2;
    }
    default: {
      const unsigned places = metadata_of(product, metadata, row, k / 2);
      return k / 2 * 4 + (places >> (k % 2 * 2) & 3U);
    }
  }
}

void multiply_sparse(const SparseProduct& product, const std::uint8_t* a, const std::uint8_t* b,
                     const std::uint32_t* metadata, std::uint8_t* d) {
  const unsigned bits = bits_of(product.a);
  const unsigned sum_bits = bits_of(product.d);
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned column = 0; column < kColumns; ++column) {
      const std::size_t place = place_of(slot_of_c(row, column, sum_bits), sum_bits);
      const std::uint64_t c = bits_at(d, place, sum_bits);
      std::int64_t whole = static_cast<std::int32_t>(c);
      float sum = float_of(product.d, static_cast<std::uint32_t>(c));
      for (unsigned k = 0; k < product.depth / 2; ++k) {
        const unsigned at = place_along_depth(product, metadata, row, k);
        const std::uint64_t left = bits_at(a, place_of(slot_of_a(row, k, bits), bits), bits);
        const std::uint64_t right = bits_at(b, place_of(slot_of_b(at, column, bits), bits), bits);
        if (product.d == MatrixType::s32) {
          whole += integer_of(product.a, left) * integer_of(product.b, right);
        } else {
          sum = std::fma(float_of(product.a, static_cast<std::uint32_t>(left)),
                         float_of(product.b, static_cast<std::uint32_t>(right)), sum);
        }
      }
      if (product.saturate) whole = std::clamp<std::int64_t>(whole, INT32_MIN, INT32_MAX);
      const std::uint32_t result = product.d == MatrixType::s32 ? static_cast<std::uint32_t>(whole)
                                   : product.d == MatrixType::f16
                                       ? float_to_half(sum)
                                       : std::bit_cast<std::uint32_t>(sum);
      std::memcpy(d + place / 8, &result, sum_bits / 8);
    }
  }
}

}  // namespace emulator::runtime
