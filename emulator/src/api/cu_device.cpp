// The one device there is.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "api/driver.h"
#include "api/error_translation.h"
#include "api/limits.h"

namespace emulator::api {
namespace {

int as_int(std::uint64_t value) {
  return static_cast<int>(std::min<std::uint64_t>(value, std::numeric_limits<int>::max()));
}

// Nothing for attributes that do not exist. Textures and surfaces do not, nor do several devices:
// those limits are 0.
std::optional<int> attribute(CUdevice_attribute which, const DeviceProperties& device) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return as_int(kThreadsPerBlock);
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
      return as_int(kBlockX);
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      return as_int(kBlockY);
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      return as_int(kBlockZ);
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      return as_int(kGridX);
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      return as_int(kGridYZ);
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      return as_int(kStaticSharedBytes);
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return as_int(kOptInSharedBytes);
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      return as_int(kMultiprocessorSharedBytes);
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
      return as_int(kReservedSharedBytes);
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
      return as_int(kConstantBytes);
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      return as_int(runtime::kWarpSize);
    case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
      return std::numeric_limits<int>::max();
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
      return as_int(kRegistersPerMultiprocessor);
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      return as_int(kThreadsPerMultiprocessor);
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
      return as_int(kBlocksPerMultiprocessor);
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return as_int(device.workers);
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      return device.clock_khz;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return device.cache_bytes;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return device.major;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return device.minor;
    case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
      return 2;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
    case CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT:
      return as_int(runtime::kAllocationAlignment);
    case CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID:
    case CU_DEVICE_ATTRIBUTE_NUMA_ID:
      return -1;
    // What holds on the device since its memory and the host's are the same.
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
    case CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED:
    // What the emulator does.
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED:
      return 1;
    default:
      break;
  }
  return which > 0 && which < CU_DEVICE_ATTRIBUTE_MAX ? std::optional(0) : std::nullopt;
}

// Copies as much of `text` as fits, always ended by a NUL.
void copy_text(const std::string& text, char* to, int room) {
  require(to != nullptr && room > 0);
  std::snprintf(to, static_cast<std::size_t>(room), "%s", text.c_str());
}

constexpr const char* kBusId = "0000:00:00.0";

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::Driver;
using emulator::api::require;

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return answer([&] {
    (void)Driver::get();
    require(device != nullptr);
    Driver::require_device(ordinal);
    *device = 0;
  });
}

CUresult cuDeviceGetCount(int* count) {
  return answer([&] {
    (void)Driver::get();
    require(count != nullptr);
    *count = 1;
  });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return answer([&] {
    const Driver& driver = Driver::get();
    Driver::require_device(device);
    emulator::api::copy_text(driver.device().name, name, length);
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device) {
  return answer([&] {
    const Driver& driver = Driver::get();
    Driver::require_device(device);
    const std::optional<int> found = emulator::api::attribute(which, driver.device());
    require(value != nullptr && found.has_value());
    *value = *found;
  });
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  return answer([&] {
    const Driver& driver = Driver::get();
    Driver::require_device(device);
    require(bytes != nullptr);
    *bytes = driver.device().memory_bytes;
  });
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  return answer([&] {
    const Driver& driver = Driver::get();
    Driver::require_device(device);
    require(uuid != nullptr);
    std::memcpy(uuid->bytes, driver.device().uuid.data(), sizeof uuid->bytes);
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) { return cuDeviceGetUuid_v2(uuid, device); }

CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  return answer([&] {
    (void)Driver::get();
    Driver::require_device(device);
    emulator::api::copy_text(emulator::api::kBusId, text, length);
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  return answer([&] {
    (void)Driver::get();
    require(device != nullptr && text != nullptr);
    // The domain may be left out.
    const std::string_view id = emulator::api::kBusId;
    require(text == id || text == id.substr(id.find(':') + 1), CUDA_ERROR_INVALID_DEVICE);
    *device = 0;
  });
}

CUresult cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType type, CUdevice device) {
  return answer([&] {
    (void)Driver::get();
    Driver::require_device(device);
    require(supported != nullptr && type >= 0 && type < CU_EXEC_AFFINITY_TYPE_MAX);
    *supported = 0;
  });
}

// Of CUDA 1: what cuDeviceGetAttribute has replaced.
CUresult cuDeviceGetProperties(CUdevprop* properties, CUdevice device) {
  return answer([&] {
    const Driver& driver = Driver::get();
    Driver::require_device(device);
    require(properties != nullptr);
    const auto value = [&](CUdevice_attribute which) {
      return emulator::api::attribute(which, driver.device()).value_or(0);
    };
    *properties = {
        value(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        {value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X), value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
         value(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
        {value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
         value(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
        value(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        value(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
        value(CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        value(CU_DEVICE_ATTRIBUTE_MAX_PITCH),
        value(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK),
        value(CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
        value(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)};
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return answer([&] {
    const Driver& driver = Driver::get();
    Driver::require_device(device);
    require(major != nullptr && minor != nullptr);
    *major = driver.device().major;
    *minor = driver.device().minor;
  });
}
