// The error of a trial whose device is not the one it was to be on.
#pragma once

#include <string>

#include "autokernel/base/error.h"

namespace autokernel::trial {

// Request::known_device names another device or driver: times on this one cannot be compared.
class OtherDevice : public Error {
 public:
  explicit OtherDevice(const std::string& what) : Error(Stop::environment, what) {}
};

}  // namespace autokernel::trial
