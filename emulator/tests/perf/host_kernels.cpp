#include "perf/host_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace emulator::perf {
namespace {

constexpr std::size_t kBins = 256;
int threads = 1;

}  // namespace

void host_threads(unsigned count) { threads = static_cast<int>(count); }

void host_gelu(const float* in, float* out, std::size_t count) {
#pragma omp parallel for num_threads(threads)
  for (std::size_t i = 0; i < count; ++i) {
    const float x = in[i];
    out[i] = 0.5F * x * (1.0F + std::tanh(0.7978845608F * (x + 0.044715F * x * x * x)));
  }
}

void host_softmax(const float* in, float* out, std::size_t rows, std::size_t columns) {
#pragma omp parallel for num_threads(threads)
  for (std::size_t r = 0; r < rows; ++r) {
    const float* row = in + r * columns;
    float* result = out + r * columns;
    float most = row[0];
    for (std::size_t c = 0; c < columns; ++c) most = std::max(most, row[c]);
    float sum = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      result[c] = std::exp(row[c] - most);
      sum += result[c];
    }
    for (std::size_t c = 0; c < columns; ++c) result[c] /= sum;
  }
}

void host_histogram(const float* in, std::uint32_t* bins, std::size_t count) {
  std::fill_n(bins, kBins, 0U);
#pragma omp parallel num_threads(threads)
  {
    std::array<std::uint32_t, kBins> own{};
#pragma omp for
    for (std::size_t i = 0; i < count; ++i)
      ++own[static_cast<std::size_t>(static_cast<int>(in[i] * float{kBins}))];
#pragma omp critical
    for (std::size_t b = 0; b < kBins; ++b) bins[b] += own[b];
  }
}

void host_axpy(const float* x, float* y, std::size_t count) {
#pragma omp parallel for num_threads(threads)
  for (std::size_t i = 0; i < count; ++i) y[i] = 2.0F * x[i] + y[i];
}

float host_sum(const float* in, std::size_t count) {
  float sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
  for (std::size_t i = 0; i < count; ++i) sum += in[i];
  return sum;
}

void host_sgemm(const float* a, const float* b, float* c, std::size_t side) {
#pragma omp parallel for num_threads(threads)
  for (std::size_t row = 0; row < side; ++row) {
    std::fill_n(c + row * side, side, 0.0F);
    for (std::size_t k = 0; k < side; ++k) {
      const float factor = a[row * side + k];
      for (std::size_t col = 0; col < side; ++col)
        c[row * side + col] += factor * b[k * side + col];
    }
  }
}

}  // namespace emulator::perf
