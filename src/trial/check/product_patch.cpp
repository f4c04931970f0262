#include "trial/check/product_patch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "autokernel/base/parallel.h"
#include "trial/inputs/conversion.h"

namespace autokernel::trial {
namespace {

// So many products at a time were added by the first tensor cores; later ones add 8 and 16, which
// cuts off less often (Fasi, Higham, Mikaitis and Pranesh,
// "Numerical behavior of NVIDIA tensor cores", 2021).
constexpr std::size_t kProductsAtATime = 4;

// No honest result is nearer than the rounding of one sum as large as all products together.
constexpr double kOneRounding = 0x1p-24;

// Columns at a time: what they need stays in registers and in the first-level cache.
constexpr std::size_t kStrip = 16;

[[nodiscard]] float cut_off(double value) {
  const auto nearest = static_cast<float>(value);
  const bool is_beyond =
      std::fabs(static_cast<double>(nearest)) > std::fabs(value);  // never so for a zero
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(nearest) - (is_beyond ? 1U : 0U));
}

// One row of the left matrix times `kStrip` columns of the right one, padded with zeros.
struct Strip {
  std::array<double, kStrip> right{};
  std::array<double, kStrip> magnitudes{};
  std::array<float, kStrip> crude{};
};

[[nodiscard]] Strip multiply_strip(std::span<const float> row, std::span<const float> strip,
                                   std::size_t products_at_a_time) {
  Strip sums;
  for (std::size_t k = 0; k < row.size(); k += products_at_a_time) {
    std::array<double, kStrip> products{};
    for (std::size_t i = k; i < std::min(k + products_at_a_time, row.size()); ++i) {
      const double factor = row[i];
      for (std::size_t j = 0; j < kStrip; ++j) {
        const double product = factor * strip[i * kStrip + j];
        products[j] += product;
        sums.magnitudes[j] += std::fabs(product);
      }
    }
    for (std::size_t j = 0; j < kStrip; ++j) {
      sums.right[j] += products[j];
      const double sum = sums.crude[j] + products[j];
      sums.crude[j] = products_at_a_time == 1 ? static_cast<float>(sum) : cut_off(sum);
    }
  }
  return sums;
}

[[nodiscard]] std::vector<float> floats(const Matrix& matrix, std::size_t first,
                                        std::size_t count) {
  const std::size_t element = cases::size_of(matrix.dtype);
  std::vector<float> values(count);
  to_floats(matrix.dtype, matrix.values.subspan(first * element, count * element), values);
  return values;
}

}  // namespace

PatchValues multiply_patch(const Product& product, const Matrix& left, const Matrix& right,
                           const Patch& patch) {
  const bool has_f32 = left.dtype == cases::DType::f32 || right.dtype == cases::DType::f32;
  const std::size_t products_at_a_time = has_f32 ? 1 : kProductsAtATime;
  const auto depth = static_cast<std::size_t>(product.depth);
  const auto rows = static_cast<std::size_t>(patch.rows);
  const auto columns = static_cast<std::size_t>(patch.columns);
  const auto all_columns = static_cast<std::size_t>(product.columns);
  const auto first_column = static_cast<std::size_t>(patch.first_column);
  const std::vector<float> left_rows =
      floats(left, static_cast<std::size_t>(patch.first_row) * depth, rows * depth);

  PatchValues values;
  for (auto* some : {&values.right, &values.error, &values.magnitudes}) {
    some->resize(rows * columns);
  }
  for (std::size_t begin = 0; begin < columns; begin += kStrip) {
    const std::size_t width = std::min(kStrip, columns - begin);
    std::vector<float> strip(depth * kStrip);
    for (std::size_t k = 0; k < depth; ++k) {
      std::ranges::copy(floats(right, k * all_columns + first_column + begin, width),
                        strip.begin() + static_cast<std::ptrdiff_t>(k * kStrip));
    }
    in_parallel(rows, depth * kStrip, [&](std::size_t first, std::size_t end) {
      for (std::size_t r = first; r < end; ++r) {
        const Strip sums = multiply_strip(std::span(left_rows).subspan(r * depth, depth), strip,
                                          products_at_a_time);
        for (std::size_t j = 0; j < width; ++j) {
          const std::size_t at = r * columns + begin + j;
          values.right[at] = sums.right[j];
          values.magnitudes[at] = sums.magnitudes[j];
          values.error[at] =
              std::max(std::fabs(sums.crude[j] - sums.right[j]), kOneRounding * sums.magnitudes[j]);
        }
      }
    });
  }
  return values;
}

}  // namespace autokernel::trial
