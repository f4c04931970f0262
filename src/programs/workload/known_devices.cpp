#include "autokernel/programs/known_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/names.h"

namespace autokernel::programs {
namespace {

// The clock is the one that the published rates of tensor cores are at (src/driver/peaks.cpp), that
// of the memory what the published bandwidth comes to: GB/s = 2 * clock * bus / 8.
struct KnownDevice {
  const char* name;
  const char* product;  // as the driver calls it: GeForce in it halves some peaks
  int major;
  int minor;
  int multiprocessors;
  double clock_mhz;
  double memory_clock_mhz;
  int memory_bus_bits;
};

constexpr std::array kKnownDevices = {
    // A100 whitepaper: 108 multiprocessors, 1410 MHz, 312 TFLOPS bf16. A100 80GB datasheet, SXM:
    // 2039 GB/s, 5120 bits.
    KnownDevice{"a100-sxm", "NVIDIA A100-SXM4-80GB", 8, 0, 108, 1410, 1593, 5120},
    // H100 whitepaper, SXM5: 132 multiprocessors, 1830 MHz under tensor load, 989 TFLOPS bf16;
    // datasheet: 3.35 TB/s, 5120 bits.
    KnownDevice{"h100-sxm", "NVIDIA H100 80GB HBM3", 9, 0, 132, 1830, 2617, 5120},
    // H200 datasheet: the same multiprocessors; 4.8 TB/s, 6144 bits.
    KnownDevice{"h200", "NVIDIA H200", 9, 0, 132, 1830, 3125, 6144},
    // B200 datasheet: 148 multiprocessors, 1850 MHz, 2250 TFLOPS bf16; 8 TB/s, 8192 bits.
    KnownDevice{"b200", "NVIDIA B200", 10, 0, 148, 1850, 3906, 8192},
    // Ada whitepaper, GeForce RTX 4090: 128 multiprocessors, 2520 MHz, 165.2 TFLOPS bf16 with sums
    // in fp32; 1008 GB/s, 384 bits.
    KnownDevice{"rtx-4090", "NVIDIA GeForce RTX 4090", 8, 9, 128, 2520, 10500, 384},
    // L40S datasheet: 142 multiprocessors, 2520 MHz, 362 TFLOPS bf16; 864 GB/s, 384 bits.
    KnownDevice{"l40s", "NVIDIA L40S", 8, 9, 142, 2520, 9000, 384},
};

}  // namespace

std::vector<std::string> known_device_names() {
  std::vector<std::string> names;
  names.reserve(kKnownDevices.size());
  for (const KnownDevice& device : kKnownDevices) names.emplace_back(device.name);
  return names;
}

driver::DeviceInfo completed(driver::DeviceInfo device) {
  const auto* const known = std::ranges::find_if(
      kKnownDevices, [&](const KnownDevice& each) { return device.name == each.product; });
  if (known == kKnownDevices.end() || device.emulated) return device;
  const auto complete = [](auto& value, auto of_known) {
    if (value == 0) value = of_known;
  };
  complete(device.major, known->major);
  complete(device.minor, known->minor);
  complete(device.multiprocessors, known->multiprocessors);
  complete(device.clock_mhz, known->clock_mhz);
  complete(device.memory_clock_mhz, known->memory_clock_mhz);
  complete(device.memory_bus_bits, known->memory_bus_bits);
  return device;
}

driver::DeviceInfo known_device(const std::string& name) {
  const auto* const found = std::ranges::find_if(
      kKnownDevices, [&](const KnownDevice& device) { return name == device.name; });
  if (found == kKnownDevices.end()) {
    const std::vector<std::string> names = known_device_names();
    const std::optional<std::string> meant = cases::nearest(name, names);
    throw Error(Stop::usage, fmt::format("the peaks of device {} are not known{}; known are {}",
                                         visible_line(name),
                                         meant ? fmt::format(", did you mean {}?", *meant) : "",
                                         fmt::join(names, ", ")));
  }
  driver::DeviceInfo device;
  device.name = found->product;
  device.major = found->major;
  device.minor = found->minor;
  device.multiprocessors = found->multiprocessors;
  device.clock_mhz = found->clock_mhz;
  device.memory_clock_mhz = found->memory_clock_mhz;
  device.memory_bus_bits = found->memory_bus_bits;
  return device;
}

}  // namespace autokernel::programs
