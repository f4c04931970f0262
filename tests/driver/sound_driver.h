// A table of driver functions in which everything succeeds and nothing happens. Tests replace
// single functions by ones that fail as a real driver might.
#pragma once

#include <memory>

#include "autokernel/driver/device.h"
#include "driver/api.h"

namespace autokernel::driver {

[[nodiscard]] Api sound_driver();

// The driver and its device over a table.
struct Opened {
  explicit Opened(const Api& api, Origin origin = Origin::gpu)
      : driver(std::make_shared<const Api>(api), origin, 0), device(driver) {}
  Driver driver;
  Device device;
};

}  // namespace autokernel::driver
