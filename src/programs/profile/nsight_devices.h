// The devices of a report of Nsight Systems.
#pragma once

#include <cstdint>

#include "autokernel/driver/device_info.h"
#include "programs/profile/sqlite_file.h"

namespace autokernel::programs {

// What the report says of the device that a process knows by a number: each numbers those that it
// may see by itself.
[[nodiscard]] driver::DeviceInfo nsight_device(const SqliteFile& report, std::int64_t process,
                                               std::int64_t number);

}  // namespace autokernel::programs
