// One trial at a time on a device: two would lengthen each other's times.
#pragma once

#include <functional>
#include <optional>

#include "autokernel/base/file_lock.h"
#include "autokernel/driver/device_info.h"

namespace autokernel::trial {

// Held by this process until it ends. `waiting` is called once where another trial of this user
// holds the device, before it is waited for. None where the user's cache folder, in which the lock
// lies, cannot be written: then nobody waits.
[[nodiscard]] std::optional<FileLock> lock_device(const driver::DeviceInfo& device,
                                                  const std::function<void()>& waiting);

}  // namespace autokernel::trial
