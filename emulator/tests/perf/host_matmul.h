// The naive matmul as a C++ program would have it, to compare the emulated kernel with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emulator::perf {

enum class Nest : std::uint8_t {
  as_in_the_kernel,  // k innermost
  vectorised,        // columns innermost, which a compiler turns into vectors
};

// Seconds of one C = A x B of bf16, side x side, on so many threads: the median of `runs`.
[[nodiscard]] double host_matmul(Nest nest, std::size_t side, unsigned threads, int runs);

}  // namespace emulator::perf
