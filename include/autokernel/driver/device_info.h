// What a device says of itself, and what it could do at best.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace autokernel::driver {

struct DeviceInfo {
  std::string name;  // "NVIDIA H200"
  int ordinal = 0;
  int major = 0;  // compute capability
  int minor = 0;
  bool emulated = false;
  int multiprocessors = 0;
  double clock_mhz = 0;         // highest SM clock
  double memory_clock_mhz = 0;  // highest memory clock
  int memory_bus_bits = 0;
  std::uint64_t l2_bytes = 0;
  std::uint64_t memory_bytes = 0;
  std::string address;  // on the PCI bus, "0000:1B:00.0"; empty where the driver does not say
  std::string driver_version;  // highest CUDA version it supports, "13.0"; the emulator's own
                               // version where emulated
  std::string settings;  // of the emulated device: how it compiles and runs kernels; else empty
};

// Arithmetic whose rate differs. Multiplicands; the sum is kept in fp32 everywhere.
enum class Arithmetic : std::uint8_t { f16, bf16, tf32, f32 };

// The most the device could compute, dense, at its highest clock. Empty for the emulated device,
// for a capability that is not in the table, and where the hardware lacks that arithmetic.
[[nodiscard]] std::optional<double> peak_tflops(const DeviceInfo& device, Arithmetic arithmetic);

// The most the device could move to and from its memory. Empty for the emulated device and where a
// clock is unknown.
[[nodiscard]] std::optional<double> peak_gbytes_s(const DeviceInfo& device);

}  // namespace autokernel::driver
