// Kernels that a case must refuse: an honest one, and behind it a launch that damages its result
// in one of the ways in which kernels are wrong, or cheat. The judge knows nothing of them.
#pragma once

#include <string>
#include <vector>

#include "autokernel/cases/case.h"

namespace autokernel::cli {

struct Cheat {
  std::string name;    // "y rounded"
  std::string what;    // "each element rounded to 10 bits of mantissa"
  std::string source;  // of the whole kernel
  std::string remedy;  // what to change in the case if it is accepted
};

// Those that make sense of each output. `honest` is the text of a right kernel, whose launches come
// first; it must have no more than fifteen.
[[nodiscard]] std::vector<Cheat> cheats(const cases::Case& problem, const std::string& honest);

}  // namespace autokernel::cli
