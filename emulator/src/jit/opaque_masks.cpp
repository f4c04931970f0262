#include "jit/opaque_masks.h"

#include <llvm-c/Core.h>

#include <string_view>
#include <vector>

#include "jit/llvm.h"

namespace emulator::jit {
namespace {

bool is_vector_of_bits(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
         LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind &&
         LLVMGetIntTypeWidth(LLVMGetElementType(type)) == 1;
}

// What a register of the host holds.
bool is_integer_of_host(LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) return false;
  const unsigned width = LLVMGetIntTypeWidth(type);
  return width == 8 || width == 16 || width == 32 || width == 64;
}

// The integer whose bits a vector of i1 is; null where it is none's.
LLVMValueRef integer_behind(LLVMValueRef value) {
  if (LLVMIsABitCastInst(value) == nullptr || !is_vector_of_bits(LLVMTypeOf(value))) return nullptr;
  LLVMValueRef integer = LLVMGetOperand(value, 0);
  return is_integer_of_host(LLVMTypeOf(integer)) ? integer : nullptr;
}

bool merges(LLVMOpcode opcode) { return opcode == LLVMOr || opcode == LLVMXor; }

bool is_merge_of_integers(LLVMValueRef value) {
  return LLVMIsABinaryOperator(value) != nullptr && merges(LLVMGetInstructionOpcode(value));
}

class Hiding {
 public:
  explicit Hiding(LLVMContextRef context)
      : builder_(LLVMCreateBuilderInContext(context), LLVMDisposeBuilder) {}

  void visit(LLVMValueRef instruction) {
    LLVMPositionBuilderBefore(builder_.get(), instruction);
    if (LLVMValueRef integer = integer_behind(instruction)) {
      if (is_merge_of_integers(integer)) LLVMSetOperand(instruction, 0, hidden(integer));
    } else if (is_vector_of_bits(LLVMTypeOf(instruction))) {
      visit_vector(instruction);
    }
  }

 private:
  void visit_vector(LLVMValueRef instruction) {
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    if (merges(opcode)) {
      merge(instruction, opcode, LLVMGetOperand(instruction, 0), LLVMGetOperand(instruction, 1));
    } else if (opcode == LLVMSelect) {
      LLVMValueRef if_true = LLVMGetOperand(instruction, 1);
      if (LLVMIsAConstant(if_true) != nullptr &&
          if_true == LLVMConstAllOnes(LLVMTypeOf(instruction)))
        merge(instruction, LLVMOr, LLVMGetOperand(instruction, 0), LLVMGetOperand(instruction, 2));
    }
  }

  void merge(LLVMValueRef instruction, LLVMOpcode opcode, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef of_a = integer_behind(a);
    LLVMValueRef of_b = integer_behind(b);
    if (of_a == nullptr || of_b == nullptr) return;
    LLVMValueRef merged = LLVMBuildBinOp(builder_.get(), opcode, of_a, of_b, "");
    LLVMReplaceAllUsesWith(
        instruction, LLVMBuildBitCast(builder_.get(), hidden(merged), LLVMTypeOf(instruction), ""));
  }

  LLVMValueRef hidden(LLVMValueRef integer) {
    LLVMTypeRef type = LLVMTypeOf(integer);
    LLVMTypeRef function = LLVMFunctionType(type, &type, 1, 0);
    std::string_view same = "=r,0";  // the result is where the operand was
    LLVMValueRef nothing = LLVMGetInlineAsm(function, "", 0, same.data(), same.size(), 0, 0,
                                            LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(builder_.get(), function, nothing, &integer, 1, "");
  }

  Handle<LLVMBuilderRef> builder_;
};

std::vector<LLVMValueRef> instructions_of(LLVMValueRef function) {
  std::vector<LLVMValueRef> all;
  for (auto* b = LLVMGetFirstBasicBlock(function); b != nullptr; b = LLVMGetNextBasicBlock(b)) {
    for (auto* i = LLVMGetFirstInstruction(b); i != nullptr; i = LLVMGetNextInstruction(i))
      all.push_back(i);
  }
  return all;
}

}  // namespace

void hide_merged_masks(LLVMModuleRef module, LLVMContextRef context) {
  Hiding hiding(context);
  for (auto* f = LLVMGetFirstFunction(module); f != nullptr; f = LLVMGetNextFunction(f)) {
    for (LLVMValueRef instruction : instructions_of(f)) hiding.visit(instruction);
  }
}

}  // namespace emulator::jit
