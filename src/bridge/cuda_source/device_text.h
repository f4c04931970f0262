// The part of a source that a kernel needs on the device.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "autokernel/bridge/note.h"
#include "bridge/cuda_source/source.h"

namespace autokernel::bridge {

struct DeviceText {
  std::string includes;  // of the device's headers, a line each
  std::string text;      // without them, in the order of the source
  std::set<std::string> declared;
  std::vector<Note> left_out;
};

// Of `kernel` and of whatever `names` mean. What is called one of `given` is left out: something
// else declares it. With `as_function`, the kernel is one that other kernels call.
[[nodiscard]] DeviceText device_text(const Source& source, const Function& kernel,
                                     const std::set<std::string>& names,
                                     const std::set<std::string>& given, bool as_function);

}  // namespace autokernel::bridge
