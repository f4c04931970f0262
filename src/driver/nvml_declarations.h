// The few entries of NVML that are used, declared here: its header comes with the full toolkit
// alone, not with the wheels that ./dev builds from, and building must not depend on it. NVML keeps
// these interfaces stable: what changes gets a new name with a version behind it.
#pragma once

#include <array>
#include <cstdint>

namespace autokernel::driver::nvml {

using Return = int;  // nvmlReturn_t
using Device = struct Opaque*;

inline constexpr Return kSuccess = 0;
inline constexpr Return kInsufficientSize = 7;

// nvmlClockType_t
inline constexpr int kSmClock = 1;
inline constexpr int kMemoryClock = 2;
// nvmlTemperatureSensors_t: the GPU's own, the only one there is
inline constexpr int kGpuSensor = 0;
// What is read as a memory size where NVML does not know it (NVML_VALUE_NOT_AVAILABLE).
inline constexpr unsigned long long kNotAvailable = ~0ULL;

// NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE and its predecessor of version 2.
inline constexpr std::size_t kBusIdSize = 32;
inline constexpr std::size_t kOldBusIdSize = 16;

// nvmlPciInfo_t, as nvmlDeviceGetPciInfo_v3 fills it.
struct PciInfo {
  std::array<char, kOldBusIdSize> old_bus_id;
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;
  unsigned subsystem_id;
  std::array<char, kBusIdSize> bus_id;
};
static_assert(sizeof(PciInfo) == 68);

// nvmlProcessInfo_t, as nvmlDeviceGetComputeRunningProcesses_v3 fills it.
struct ProcessInfo {
  unsigned id;
  unsigned long long memory_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};
static_assert(sizeof(ProcessInfo) == 24);

// A null member is a function that this NVML lacks.
struct Functions {
  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  const char* (*error_string)(Return) = nullptr;
  Return (*driver_version)(char*, unsigned) = nullptr;
  Return (*count)(unsigned*) = nullptr;
  Return (*handle)(unsigned, Device*) = nullptr;
  Return (*name)(Device, char*, unsigned) = nullptr;
  Return (*uuid)(Device, char*, unsigned) = nullptr;
  Return (*pci_info)(Device, PciInfo*) = nullptr;
  Return (*mig_mode)(Device, unsigned*, unsigned*) = nullptr;
  Return (*most_mig_devices)(Device, unsigned*) = nullptr;
  Return (*mig_device)(Device, unsigned, Device*) = nullptr;
  Return (*clock)(Device, int, unsigned*) = nullptr;
  Return (*highest_clock)(Device, int, unsigned*) = nullptr;
  Return (*persistence)(Device, int*) = nullptr;
  Return (*throttle_reasons)(Device, unsigned long long*) = nullptr;
  Return (*power)(Device, unsigned*) = nullptr;
  Return (*power_limit)(Device, unsigned*) = nullptr;
  Return (*default_power_limit)(Device, unsigned*) = nullptr;
  Return (*temperature)(Device, int, unsigned*) = nullptr;
  Return (*processes)(Device, unsigned*, ProcessInfo*) = nullptr;
};

}  // namespace autokernel::driver::nvml
