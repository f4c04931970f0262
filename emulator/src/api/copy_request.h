// Copies of rows and of slices of rows, and fills of rows, between memory of either side: what
// every copy and fill comes down to, whether it is done at once, in a stream or by a graph. Arrays,
// which the device has not, are refused with CUDA_ERROR_NOT_SUPPORTED.
#pragma once

#include <cstddef>
#include <functional>

#include "api/context.h"

namespace emulator::api {

// One end of a copy of bytes in a row. CU_MEMORYTYPE_UNIFIED lets the driver find out the side.
struct End {
  CUmemorytype type;
  CUdeviceptr address;
};
[[nodiscard]] CUDA_MEMCPY3D linear_copy(const End& to, const End& from, std::size_t bytes);
[[nodiscard]] CUDA_MEMCPY3D as_3d(const CUDA_MEMCPY2D& copy);
[[nodiscard]] CUDA_MEMSET_NODE_PARAMS linear_fill(CUdeviceptr to, unsigned value,
                                                  unsigned element_bytes, std::size_t count);

// The work itself, for the executor. Throw Refusal(CUDA_ERROR_INVALID_VALUE) where an end is not
// memory of its side now; the work throws CUDA_ERROR_ILLEGAL_ADDRESS where it has been freed since.
[[nodiscard]] std::function<void()> copying(Context& context, const CUDA_MEMCPY3D& copy);
[[nodiscard]] std::function<void()> filling(Context& context, const CUDA_MEMSET_NODE_PARAMS& fill);

// The same, but for a program that goes on at once: a small source that the device does not know is
// copied aside. `must_wait` says that the program's own memory is used until the work is done.
struct AsyncCopy {
  std::function<void()> work;
  bool must_wait;
};
[[nodiscard]] AsyncCopy copying_async(Context& context, const CUDA_MEMCPY3D& copy);

}  // namespace emulator::api
