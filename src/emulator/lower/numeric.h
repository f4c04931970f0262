// Pieces of floating-point arithmetic that several groups of instructions share.
#pragma once

#include "emulator/lower/ir.h"
#include "emulator/ptx/ast.h"

namespace emulator::lower {

// f16 or bf16 bits (i16) as float, exactly; f32 as it is.
Value half_to_float(Ir& ir, const Value& bits, ptx::Type type);
// float as f16 or bf16 bits (i16), rounded to nearest even; NaN becomes the canonical 0x7fff. With
// `towards_zero` truncated instead.
Value float_to_half(Ir& ir, const Value& value, ptx::Type type, bool towards_zero = false);
// Subnormals become zeros of the same sign (.ftz); float only.
Value flush_subnormals(Ir& ir, const Value& value);
// Clamped to [0, 1], NaN to 0 (.sat).
Value saturate(Ir& ir, const Value& value);
// PTX minimum and maximum: -0 < +0, and a NaN loses against a number unless `propagates_nan`.
Value float_extreme(Ir& ir, const Value& a, const Value& b, bool maximum, bool propagates_nan);

}  // namespace emulator::lower
