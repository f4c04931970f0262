#include "runtime/scaled_product.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/fragment_elements.h"
#include "runtime/sparse_product.h"

namespace emulator::runtime {
namespace {

constexpr unsigned kRowsOfA = 16;
constexpr unsigned kColumnsOfB = 8;
constexpr unsigned kMostDepth = 128;

// The sign of ue4m3 is not looked at.
double scale_of(ScaleType type, std::uint32_t code) {
  constexpr std::uint32_t kNan = 0xFF;
  constexpr int kBias = 127;
  if (type == ScaleType::ue4m3) return float_of(MatrixType::e4m3, code & 0x7FU);
  if (code == kNan) return std::numeric_limits<double>::quiet_NaN();
  return std::ldexp(1.0, static_cast<int>(code) - kBias);
}

// One line of A or B: where its elements lie along K, and what they are, scaled. The products of
// these numbers have no more than 16 digits, so that a double holds them.
struct Line {
  std::array<unsigned, kMostDepth> places;
  std::array<double, kMostDepth> values;
};

class Scaled {
 public:
  Scaled(const ScaledProduct& product, const ScaleSelectors& selectors, const ScaleWords& words)
      : product_(product), selectors_(selectors), words_(words) {}

  void take_row(const std::uint8_t* a, unsigned row, Line& line) const {
    const unsigned bits = bits_of(product_.a);
    const std::uint32_t scales = words_.a[row % 8 * 4 + selectors_.thread_a * 2 + row / 8];
    for (unsigned k = 0; k < kept(); ++k) {
      line.places.at(k) = place(row, k);
      line.values.at(k) =
          value(product_.a, bits_at(a, place_of(slot_of_a(row, k, bits), bits), bits)) *
          scale(scales >> (8 * selectors_.byte_a), line.places.at(k));
    }
  }
  void take_column(const std::uint8_t* b, unsigned column, Line& line) const {
    const unsigned bits = bits_of(product_.b);
    const std::uint32_t scales = words_.b[column * 4 + selectors_.thread_b];
    for (unsigned k = 0; k < product_.depth; ++k) {
      line.values.at(k) =
          value(product_.b, bits_at(b, place_of(slot_of_b(k, column, bits), bits), bits)) *
          scale(scales >> (8 * selectors_.byte_b), k);
    }
  }
  // Rounded to a double first, the sum rounds to the same float: it has more than twice a float's
  // digits, and neither summand has more than a float's.
  [[nodiscard]] float sum(const Line& row, const Line& column, float sum) const {
    for (unsigned k = 0; k < kept(); ++k)
      sum = static_cast<float>(sum + row.values.at(k) * column.values.at(row.places.at(k)));
    return sum;
  }

 private:
  // Elements of a row of A.
  [[nodiscard]] unsigned kept() const {
    return product_.sparse ? product_.depth / 2 : product_.depth;
  }
  [[nodiscard]] unsigned place(unsigned row, unsigned k) const {
    if (!product_.sparse) return k;
    return place_along_depth({.a = product_.a, .b = product_.b, .depth = product_.depth},
                             words_.metadata, row, k);
  }
  [[nodiscard]] double scale(std::uint32_t scales, unsigned place) const {
    const unsigned block = place / (product_.depth / product_.scales);
    return scale_of(product_.scale, scales >> (8 * block) & 0xFFU);
  }
  static double value(MatrixType type, std::uint64_t bits) {
    return float_of(type, static_cast<std::uint32_t>(bits));
  }

  const ScaledProduct& product_;
  const ScaleSelectors& selectors_;
  const ScaleWords& words_;
};

}  // namespace

bool exist(const ScaleSelectors& selectors, std::uint32_t scales) {
  const auto is_byte = [&](std::uint32_t byte) { return byte < 4 && byte % scales == 0; };
  return is_byte(selectors.byte_a) && selectors.thread_a < 2 && is_byte(selectors.byte_b) &&
         selectors.thread_b < 4;
}

void multiply_scaled(const ScaledProduct& product, const ScaleSelectors& selectors,
                     const std::uint8_t* a, const std::uint8_t* b, const ScaleWords& words,
                     std::uint8_t* d) {
  constexpr unsigned kBits = 32;
  const Scaled scaled(product, selectors, words);
  std::array<Line, kColumnsOfB> columns;
  for (unsigned column = 0; column < kColumnsOfB; ++column)
    scaled.take_column(b, column, columns.at(column));
  for (unsigned row = 0; row < kRowsOfA; ++row) {
    Line line;
    scaled.take_row(a, row, line);
    for (unsigned column = 0; column < kColumnsOfB; ++column) {
      std::uint8_t* at = d + place_of(slot_of_c(row, column, kBits), kBits) / 8;
      float sum = 0;
      std::memcpy(&sum, at, sizeof sum);
      sum = scaled.sum(line, columns.at(column), sum);
      std::memcpy(at, &sum, sizeof sum);
    }
  }
}

}  // namespace emulator::runtime
