// The 8-bit floating-point formats, e4m3 and e5m2.
#pragma once

#include "lower/ir.h"
#include "ptx/ast.h"

namespace emulator::lower {

// float to the bits (i8) of e4m3 or e5m2 (named by their packed types), rounded to nearest even;
// what is too large, infinity included, becomes the largest finite value, NaN becomes 0x7f.
Value float_to_small(Ir& ir, const Value& value, ptx::Type pair);
// The bits (i8) of e4m3 or e5m2 as the bits (i16) of f16, exactly; NaN becomes 0x7fff.
Value small_to_f16(Ir& ir, const Value& bits, ptx::Type pair);

}  // namespace emulator::lower
