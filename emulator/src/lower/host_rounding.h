// Arithmetic that rounds as an instruction says, by the host's own instructions: AVX-512F names the
// rounding in each. IEEE 754 leaves no choice of the bits, so that rounding.h gives the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lower/ir.h"
#include "lower/rounding.h"

namespace emulator::lower {

// All lanes of float or double; `operation` is add, sub, mul, div, sqrt or vfmadd. Nothing where
// the host has no such instruction, and for a scalar.
[[nodiscard]] std::optional<Value> rounded_by_host(Ir& ir, const std::string& operation,
                                                   const std::vector<Value>& operands,
                                                   Rounding rounding);

}  // namespace emulator::lower
