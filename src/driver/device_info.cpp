#include "autokernel/driver/device_info.h"

#include <array>

#include "autokernel/base/error.h"
#include "autokernel/driver/device.h"
#include "driver/api.h"
#include "driver/status.h"

namespace autokernel::driver {
namespace {

// cuDeviceGetName cuts a longer name short; the emulated device's, with the CPU's name in it, is
// about 90 characters.
constexpr int kLongestName = 256;

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// Images of one major version of the toolkit are not for drivers of the one before, and the oldest
// NVRTC in use is of CUDA 12.
constexpr int kOldestVersion = 12000;

// Empty for a driver that tells none.
std::string settings_of(const Api& api) {
  const char* settings = api.emu_settings == nullptr ? nullptr : api.emu_settings();
  return settings == nullptr ? "" : settings;
}

std::string version_of(const Api& api) {
  if (api.emu_version != nullptr) {
    const char* version = api.emu_version();
    if (version != nullptr) return version;
  }
  int version = 0;
  check(api, api.driver_get_version(&version), "cuDriverGetVersion",
        "ask the CUDA driver for its version");
  if (version < kOldestVersion) {
    throw Error(Stop::environment,
                "cannot use this CUDA driver: it is for CUDA " + version_text(version) +
                    "; install a driver for CUDA 12.4 or later, or pass --device cpu" +
                    " [cuDriverGetVersion]");
  }
  return version_text(version);
}

}  // namespace

Driver::Driver(std::shared_ptr<const Api> api, Origin origin, int ordinal) : api_(std::move(api)) {
  const std::string which = "device " + std::to_string(ordinal);
  CUdevice device = 0;
  check(*api_, api_->device_get(&device, ordinal), "cuDeviceGet", "open " + which);
  std::array<char, kLongestName> name{};
  check(*api_, api_->device_get_name(name.data(), kLongestName - 1, device), "cuDeviceGetName",
        "ask " + which + " for its name");
  std::size_t memory = 0;
  check(*api_, api_->device_total_mem(&memory, device), "cuDeviceTotalMem",
        "ask " + which + " for its memory");
  const auto ask = [&](CUdevice_attribute attribute) {
    int value = 0;
    check(*api_, api_->device_get_attribute(&value, attribute, device), "cuDeviceGetAttribute",
          "ask " + which + " for attribute " + std::to_string(static_cast<int>(attribute)));
    return value;
  };
  info_.name = name.data();
  info_.ordinal = ordinal;
  info_.emulated = origin == Origin::emulator;
  info_.major = ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  info_.minor = ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info_.memory_bytes = memory;
  info_.driver_version = version_of(*api_);
  info_.multiprocessors = ask(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info_.settings = settings_of(*api_);
  // What follows only means something of hardware, and the emulated device need not answer it.
  if (info_.emulated) return;
  std::array<char, kLongestName> address{};
  if (api_->device_pci_bus_id != nullptr &&
      api_->device_pci_bus_id(address.data(), kLongestName - 1, device) == CUDA_SUCCESS) {
    info_.address = address.data();
  }
  constexpr double kKiloPerMega = 1000;
  info_.clock_mhz = ask(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / kKiloPerMega;
  info_.memory_clock_mhz = ask(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) / kKiloPerMega;
  info_.memory_bus_bits = ask(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  info_.l2_bytes = static_cast<std::uint64_t>(ask(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
}

}  // namespace autokernel::driver
