// What a kernel of a case may write as its parameters, for messages that say how to fix one.
#pragma once

#include <string>
#include <vector>

#include "autokernel/cases/case.h"
#include "autokernel/compile/program.h"

namespace autokernel::trial {

// What floating outputs are written as: in the tensor's own type, or, by a reference in fp64, as
// double.
enum class OutputType : std::uint8_t { declared, fp64 };

// "const float* x", one for each tensor, "float alpha", one for each scalar, in order, then "int
// N", one for each size.
[[nodiscard]] std::vector<compile::Argument> signature(const cases::Case& problem,
                                                       OutputType outputs);

}  // namespace autokernel::trial
