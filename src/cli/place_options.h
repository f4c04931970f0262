// --device and --launcher, for the commands that also measure on other machines.
#pragma once

#include <optional>
#include <string>

#include "autokernel/driver/device_choice.h"
#include "cli/shared_options.h"

namespace autokernel::cli {

struct PlaceOptions {
  std::optional<std::string> device;
  std::optional<std::string> launcher;

  void declare(Options options, const std::string& afterwards = kAnyDevice);
  [[nodiscard]] bool are_given() const { return device || launcher; }
  // What they say together; the place is remembered as one of this user's. Throws
  // Error(usage).
  [[nodiscard]] driver::DeviceChoice choice() const;
};

}  // namespace autokernel::cli
