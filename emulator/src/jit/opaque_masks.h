// Masks of lanes that LLVM's code generation must not look behind. For this folder's .cpp files.
#pragma once

#include <llvm-c/Types.h>

namespace emulator::jit {

// With AVX-512, LLVM's X86 combines turn bitcast(a | b) of two integers into (bitcast a) | (bitcast
// b) where both bitcasts exist already, its general ones turn that back, and neither ends; the same
// for xor, and for a selection that stands for an or (LLVM 19, tests/jit). An empty inline assembly
// between the integer and its bitcast hides the one from the other and costs no instruction.
void hide_merged_masks(LLVMModuleRef module, LLVMContextRef context);

}  // namespace emulator::jit
