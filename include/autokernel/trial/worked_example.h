// Inputs of a case, and what its reference makes of them: what somebody else can check a kernel
// with who has neither the case nor autokernel.
#pragma once

#include <cstddef>
#include <vector>

#include "autokernel/trial/result.h"

namespace autokernel::trial {

struct WorkedExample {
  // Of each tensor and scalar of the case, in order; empty where it is only written.
  std::vector<std::vector<std::byte>> inputs;
  // Of each tensor that is written, padding included; empty of the others.
  std::vector<std::vector<std::byte>> expected;
};

// The inputs that the case declares, of a fresh key, at the size that the request names. The
// reference runs here: a kernel on the request's device, a product with OpenBLAS, Python in a
// process of its own. Throws Error(usage) where the reference fails, and Error(environment) where
// what it takes is missing.
[[nodiscard]] WorkedExample worked_example(const Request& request);

}  // namespace autokernel::trial
