#include "jit/llvm.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include <mutex>
#include <stdexcept>

namespace emulator::jit {
namespace {

void initialise_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
  });
}

}  // namespace

void fail(const std::string& what, char* message) {
  std::string text = what;
  if (message != nullptr) {
    text += ": ";
    text += message;
    LLVMDisposeMessage(message);
  }
  throw std::runtime_error(text);
}

namespace {

// Of the CPU. LLVM turns comparisons of halves round where it has AVX512-FP16 for them
// and their results go into an xor (tests/random, seed 168 in parts): they are done in floats,
// as on all other CPUs.
std::string used_features() {
  char* features = LLVMGetHostCPUFeatures();
  std::string used = std::string(features) + ",-avx512fp16";
  LLVMDisposeMessage(features);
  return used;
}

}  // namespace

void check(LLVMErrorRef error, const std::string& what) {
  if (error == nullptr) return;
  char* message = LLVMGetErrorMessage(error);
  const std::string text = what + ": " + message;
  LLVMDisposeErrorMessage(message);
  throw std::runtime_error(text);
}

std::string host_cpu() {
  char* cpu = LLVMGetHostCPUName();
  std::string text = std::string(cpu) + " " + used_features();
  LLVMDisposeMessage(cpu);
  return text;
}

Handle<LLVMTargetMachineRef> host_machine(LLVMCodeGenOptLevel level) {
  initialise_once();
  char* triple = LLVMGetDefaultTargetTriple();
  char* cpu = LLVMGetHostCPUName();
  LLVMTargetRef target = nullptr;
  char* message = nullptr;
  if (LLVMGetTargetFromTriple(triple, &target, &message) != 0)
    fail("no LLVM target for this machine", message);
  // Position-independent and small: the linker puts the code anywhere and reaches the runtime,
  // which may lie further away than a call does, through tables of its own.
  LLVMTargetMachineRef machine = LLVMCreateTargetMachine(
      target, triple, cpu, used_features().c_str(), level, LLVMRelocPIC, LLVMCodeModelSmall);
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(cpu);
  return {machine, LLVMDisposeTargetMachine};
}

}  // namespace emulator::jit
