#include "runtime/other_product.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "runtime/fragment_elements.h"
#include "runtime/half.h"
#include "runtime/matrix.h"

namespace emulator::runtime {
namespace {

// The largest C: 32 lanes with four registers of 64 bits or eight of 32.
constexpr std::size_t kLargestSum = 1024;
constexpr unsigned kQuads = 4;

// mma.m8n8k4 of f16: lanes 4q to 4q + 3 and the same 16 lanes on have the matrices of product q
// (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type").
std::size_t place_in_quad(unsigned quad, unsigned line, unsigned element, unsigned bits) {
  const unsigned lane = quad * 4 + line % 4 + (line >= 4 ? 16 : 0);
  const unsigned packed = 32 / bits;
  return place_of({lane, element / packed, element % packed}, bits);
}

class Matrices {
 public:
  Matrices(const OtherProduct& product, const std::uint8_t* a, const std::uint8_t* b,
           const std::uint8_t* c, unsigned quad)
      : product_(product), a_(a), b_(b), c_(c), quad_(quad) {}

  [[nodiscard]] std::uint64_t a(unsigned row, unsigned k) const {
    const unsigned bits = bits_of(product_.a);
    return bits_at(a_, place_of_a(row, k, bits), bits);
  }
  [[nodiscard]] std::uint64_t b(unsigned k, unsigned column) const {
    const unsigned bits = bits_of(product_.b);
    return bits_at(b_, place_of_b(k, column, bits), bits);
  }
  [[nodiscard]] std::uint64_t c(unsigned row, unsigned column) const {
    const unsigned bits = bits_of(product_.c);
    return bits_at(c_, place_of_sum(row, column, bits), bits);
  }
  // Of C, or of D, by the width of their elements.
  [[nodiscard]] std::size_t place_of_sum(unsigned row, unsigned column, unsigned bits) const {
    switch (product_.order) {
      case FragmentOrder::mma:
        return place_of(slot_of_c(row, column, bits), bits);
      case FragmentOrder::wmma:
        return (std::size_t{row} * product_.columns + column) * bits;
      default:
        break;
    }
    if (bits == 16) return place_in_quad(quad_, row, column, bits);
    // In f32 a lane has two neighbours in two rows, in both halves of the columns.
    const unsigned line = (row & 1U) + (column & 2U) + (row & 4U);
    return place_in_quad(quad_, line, (column & 5U) + (row & 2U), bits);
  }

 private:
  [[nodiscard]] std::size_t place_of_a(unsigned row, unsigned k, unsigned bits) const {
    switch (product_.order) {
      case FragmentOrder::mma:
        return place_of(slot_of_a(row, k, bits), bits);
      case FragmentOrder::wmma:
        return (std::size_t{row} * product_.depth + k) * bits;
      case FragmentOrder::quads_row_row:
      case FragmentOrder::quads_row_col:
        return place_in_quad(quad_, row, k, bits);
      default:
        return place_in_quad(quad_, k + (row & 4U), row % 4, bits);
    }
  }
  [[nodiscard]] std::size_t place_of_b(unsigned k, unsigned column, unsigned bits) const {
    switch (product_.order) {
      case FragmentOrder::mma:
        return place_of(slot_of_b(k, column, bits), bits);
      case FragmentOrder::wmma:  // of less than a byte by columns, as PTX has them in memory
        return bits < 8 ? (std::size_t{column} * product_.depth + k) * bits
                        : (std::size_t{k} * product_.columns + column) * bits;
      case FragmentOrder::quads_row_col:
      case FragmentOrder::quads_col_col:
        return place_in_quad(quad_, column, k, bits);
      default:
        return place_in_quad(quad_, k + (column & 4U), column % 4, bits);
    }
  }

  const OtherProduct& product_;
  const std::uint8_t* a_;
  const std::uint8_t* b_;
  const std::uint8_t* c_;
  unsigned quad_;
};

std::uint64_t sum_of_integers(const OtherProduct& product, const Matrices& of, unsigned row,
                              unsigned column) {
  std::int64_t sum = static_cast<std::int32_t>(of.c(row, column));
  for (unsigned k = 0; k < product.depth; ++k) {
    const std::int64_t a = integer_of(product.a, of.a(row, k));
    const std::int64_t b = integer_of(product.b, of.b(k, column));
    sum += product.op == ProductOp::count_xor ? a ^ b : a * b;  // of bits, a product is an and
  }
  if (product.saturate) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
  return static_cast<std::uint32_t>(sum);
}

std::uint64_t sum_of_doubles(const OtherProduct& product, const Matrices& of, unsigned row,
                             unsigned column) {
  auto sum = std::bit_cast<double>(of.c(row, column));
  for (unsigned k = 0; k < product.depth; ++k)
    sum =
        std::fma(std::bit_cast<double>(of.a(row, k)), std::bit_cast<double>(of.b(k, column)), sum);
  return std::bit_cast<std::uint64_t>(sum);
}

std::uint64_t sum_of_floats(const OtherProduct& product, const Matrices& of, unsigned row,
                            unsigned column) {
  const auto value = [](MatrixType type, std::uint64_t bits) {
    return float_of(type, static_cast<std::uint32_t>(bits));
  };
  float sum = value(product.c, of.c(row, column));
  for (unsigned k = 0; k < product.depth; ++k)
    sum = std::fma(value(product.a, of.a(row, k)), value(product.b, of.b(k, column)), sum);
  return product.d == MatrixType::f16 ? float_to_half(sum) : std::bit_cast<std::uint32_t>(sum);
}

}  // namespace

void multiply(const OtherProduct& product, const std::uint8_t* a, const std::uint8_t* b,
              std::uint8_t* c) {
  // D may be wider than C, so none of it is put before all of C is taken.
  std::array<std::uint8_t, kLargestSum> d{};
  const unsigned bits = bits_of(product.d);
  const bool in_quads = product.order != FragmentOrder::mma && product.order != FragmentOrder::wmma;
  const unsigned products = in_quads ? kQuads : 1;
  for (unsigned quad = 0; quad < products; ++quad) {
    const Matrices of(product, a, b, c, quad);
    for (unsigned row = 0; row < product.rows; ++row) {
      for (unsigned column = 0; column < product.columns; ++column) {
        const std::uint64_t sum =
            product.d == MatrixType::s32   ? sum_of_integers(product, of, row, column)
            : product.d == MatrixType::f64 ? sum_of_doubles(product, of, row, column)
                                           : sum_of_floats(product, of, row, column);
        std::memcpy(d.data() + of.place_of_sum(row, column, bits) / 8, &sum, bits / 8);
      }
    }
  }
  std::memcpy(c, d.data(), std::size_t{products} * product.rows * product.columns * bits / 8);
}

}  // namespace emulator::runtime
