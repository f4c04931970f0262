// What the emulated device says about itself, as far as it depends on the machine.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace emulator::api {

struct DeviceProperties {
  std::string name;  // "CPU, emulated CUDA driver (AMD EPYC, 2 threads)"
  unsigned workers;  // threads that run blocks: the multiprocessors
  int major;         // compute capability: 9.0, or what EMULATED_CUDA_ARCH says
  int minor;
  int clock_khz;    // of the cores, at most
  int cache_bytes;  // of the last level
  std::size_t memory_bytes;
  std::array<unsigned char, 16> uuid;  // the same in every process on this machine
};

[[nodiscard]] DeviceProperties read_device_properties();

}  // namespace emulator::api
