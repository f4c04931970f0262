// How many blocks of a kernel are on the device at once: what cuOccupancy* answer, what a
// cooperative launch may ask for, and how many blocks wait for each other without a deadlock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "api/device_properties.h"
#include "api/module.h"

namespace emulator::api {

// As a multiprocessor of a GPU with the same limits would hold. Registers, which are counted when
// machine code is made for a GPU, play no part. 0 where a block is larger than the kernel allows.
[[nodiscard]] std::uint32_t blocks_per_multiprocessor(const Kernel& kernel, std::uint32_t threads,
                                                      std::size_t dynamic_shared_bytes);

// How many blocks each thread of the device may have under way. No fewer than a multiprocessor
// holds, and enough that a grid which fits a GPU of kMultiprocessors fits here: kernels whose
// blocks wait for each other are written for its number. `local_bytes` are a block's.
[[nodiscard]] std::uint64_t blocks_per_worker(std::uint32_t blocks_per_multiprocessor,
                                              std::uint64_t local_bytes,
                                              const DeviceProperties& device);

}  // namespace emulator::api
