// Approximate functions of f32, written out so that all lanes are computed at once; a scalar gets
// the same bits as a lane. docs/emulator-numerics.md has their errors.
#pragma once

#include "lower/ir.h"

namespace emulator::lower {

// 2 to the power of x, its error below 1 ulp. Where it `flushes`, zero for what is subnormal.
Value power_of_two(Ir& ir, const Value& x, bool flushes = false);
// Its error below 2^-22 of the result, also near 1, where the result is small.
Value binary_logarithm(Ir& ir, const Value& x);
// Its error below 2^-20 of the result.
Value hyperbolic_tangent(Ir& ir, const Value& x);

}  // namespace emulator::lower
