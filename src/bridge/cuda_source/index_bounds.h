// How far a kernel reaches into its arrays, as its indices, guards and loops show.
#pragma once

#include <array>
#include <map>
#include <string>

#include "bridge/cuda_source/expression.h"
#include "bridge/cuda_source/source.h"

namespace autokernel::bridge {

struct LaunchValues {
  std::array<Value, 3> grid;
  std::array<Value, 3> block;
  std::map<std::string, Value> arguments;  // of the scalars, and of template parameters
};

// Elements of each parameter that is indexed, by its name: one more than the largest index that is
// seen. Variables are taken for not negative. What cannot be told is left out.
[[nodiscard]] std::map<std::string, Value> extents_of(const Source& source, const Function& kernel,
                                                      const LaunchValues& launch);

}  // namespace autokernel::bridge
