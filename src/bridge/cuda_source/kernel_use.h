// What a kernel does with its parameters, as its text shows it.
#pragma once

#include <map>
#include <string>

#include "bridge/cuda_source/source.h"

namespace autokernel::bridge {

struct ParameterUse {
  bool is_read = false;
  bool is_written = false;
  bool is_index = false;  // its elements are used to find others
};

// By the parameter's name. Where a pointer is handed to a function that the source does not show,
// it may be both read and written, unless it is const.
[[nodiscard]] std::map<std::string, ParameterUse> uses_of(const Source& source,
                                                          const Function& kernel);

}  // namespace autokernel::bridge
