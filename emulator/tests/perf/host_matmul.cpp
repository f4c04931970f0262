// Compiled with -O3 for the CPU at hand, as CMakeLists.txt says.
#include "perf/host_matmul.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <thread>
#include <vector>

namespace emulator::perf {
namespace {

using Bfloat = std::uint16_t;
using Matrix = std::vector<Bfloat>;

float value(Bfloat bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16U); }

// Rounded to nearest, ties to even; there are no NaNs here.
Bfloat rounded(float f) {
  const auto bits = std::bit_cast<std::uint32_t>(f);
  return static_cast<Bfloat>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

struct Rows {
  std::size_t first;
  std::size_t last;
};

void element_by_element(const Matrix& a, const Matrix& b, Matrix& c, std::size_t side, Rows rows) {
  for (std::size_t row = rows.first; row < rows.last; ++row) {
    for (std::size_t col = 0; col < side; ++col) {
      float sum = 0;
      for (std::size_t k = 0; k < side; ++k)
        sum += value(a[row * side + k]) * value(b[k * side + col]);
      c[row * side + col] = rounded(sum);
    }
  }
}

void row_by_row(const Matrix& a, const Matrix& b, Matrix& c, std::size_t side, Rows rows) {
  std::vector<float> sums(side);
  for (std::size_t row = rows.first; row < rows.last; ++row) {
    std::ranges::fill(sums, 0.0F);
    for (std::size_t k = 0; k < side; ++k) {
      const float factor = value(a[row * side + k]);
      for (std::size_t col = 0; col < side; ++col) sums[col] += factor * value(b[k * side + col]);
    }
    for (std::size_t col = 0; col < side; ++col) c[row * side + col] = rounded(sums[col]);
  }
}

}  // namespace

double host_matmul(Nest nest, std::size_t side, unsigned threads, int runs) {
  const Matrix a(side * side, rounded(0.5F));
  const Matrix b(side * side, rounded(0.25F));
  Matrix c(side * side);
  std::vector<double> times;
  for (int run = 0; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    {
      std::vector<std::jthread> workers;
      workers.reserve(threads);
      for (std::size_t t = 0; t < threads; ++t) {
        workers.emplace_back([&, t] {
          const Rows rows{side * t / threads, side * (t + 1) / threads};
          (nest == Nest::vectorised ? row_by_row : element_by_element)(a, b, c, side, rows);
        });
      }
    }
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

}  // namespace emulator::perf
