// What kernels compute as a C++ program would have it, to compare the emulated ones with: plain
// loops that OpenMP deals out to threads. Compiled with -O3 -march=native -ffast-math.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emulator::perf {

// How many threads run the loops.
void host_threads(unsigned count);

void host_gelu(const float* in, float* out, std::size_t count);
void host_softmax(const float* in, float* out, std::size_t rows, std::size_t columns);
// Of elements of [0, 1) in 256 equal bins: each thread counts in bins of its own, which are added
// up.
void host_histogram(const float* in, std::uint32_t* bins, std::size_t count);
void host_axpy(const float* x, float* y, std::size_t count);
[[nodiscard]] float host_sum(const float* in, std::size_t count);
// C = A x B, with loops in the order that becomes vectors.
void host_sgemm(const float* a, const float* b, float* c, std::size_t side);

}  // namespace emulator::perf
