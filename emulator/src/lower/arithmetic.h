// The arithmetic that integers, floating-point numbers and halves share: what it is for each of
// them. The instruction's type says which it is (arithmetic.cpp).
#pragma once

#include "ptx/ast.h"

namespace emulator::lower {

class Writer;
using Lowering = void(Writer& writer, const ptx::Instruction& instruction);

// integer.cpp
Lowering add_integers, sub_integers, mul_integers, mad_integers, div_integers;
Lowering abs_integers, neg_integers, min_integers, max_integers;

// floating.cpp: f32 and f64
Lowering add_floats, sub_floats, mul_floats, fma_floats, div_floats;
Lowering abs_floats, neg_floats, min_floats, max_floats, ex2_floats, tanh_floats;

// half.cpp: f16 and bf16, single and in pairs
Lowering add_halves, sub_halves, mul_halves, fma_halves;
Lowering abs_halves, neg_halves, min_halves, max_halves, ex2_halves, tanh_halves;

}  // namespace emulator::lower
