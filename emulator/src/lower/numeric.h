// Pieces of floating-point arithmetic that several groups of instructions share.
#pragma once

#include "lower/ir.h"
#include "ptx/ast.h"

namespace emulator::lower {

// f16 or bf16 bits (i16) as float, exactly; f32 as it is.
Value half_to_float(Ir& ir, const Value& bits, ptx::Type type);
// Subnormals become zeros of the same sign (.ftz); float or double.
Value flush_subnormals(Ir& ir, const Value& value);
// The same of the bits (i16) of f16 or bf16.
Value flush_half(Ir& ir, const Value& bits, ptx::Type type);
// Clamped to [0, 1], NaN to 0 (.sat).
Value saturate(Ir& ir, const Value& value);
// PTX minimum and maximum: -0 < +0, and a NaN loses against a number unless `propagates_nan`.
Value float_extreme(Ir& ir, const Value& a, const Value& b, bool maximum, bool propagates_nan);
// The same of the magnitudes, with the product's sign (.xorsign.abs). A NaN is left as it is.
Value signed_extreme(Ir& ir, const Value& a, const Value& b, bool maximum, bool propagates_nan);

// The bits (i32) of a float as a signed integer that is the least, or the greatest, of many where
// float_extreme() would give the float; and the float's bits again, with the canonical NaN.
Value extreme_key(Ir& ir, const Value& bits, bool maximum, bool propagates_nan);
Value float_of_key(Ir& ir, const Value& key);

}  // namespace emulator::lower
