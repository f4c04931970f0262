// The little that is asked of the CUDA driver itself. It is in the process, since it called us.
#pragma once

#include <cstddef>
#include <cstdint>

namespace recording {

// The numbers are those of cuda.h, where they have been the same since CUDA 10.
enum class DeviceAttribute : std::int32_t {
  clock_khz = 13,
  multiprocessors = 16,
  memory_clock_khz = 36,
  memory_bus_bits = 37,
  l2_bytes = 38,
  capability_major = 75,
  capability_minor = 76,
};

struct DriverLibrary {
  std::int32_t (*device_count)(int* count) = nullptr;
  std::int32_t (*device)(int* device, int ordinal) = nullptr;
  std::int32_t (*device_name)(char* name, int size, int device) = nullptr;
  std::int32_t (*device_attribute)(int* value, DeviceAttribute attribute, int device) = nullptr;
  std::int32_t (*device_memory)(std::size_t* bytes, int device) = nullptr;
  std::int32_t (*is_capturing)(void* stream, std::int32_t* status) = nullptr;
  std::int32_t (*is_capturing_per_thread)(void* stream, std::int32_t* status) = nullptr;
};

// What is missing stays null.
[[nodiscard]] DriverLibrary find_driver();

}  // namespace recording
