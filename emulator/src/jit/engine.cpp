#include "jit/engine.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>

#include <chrono>

#include "jit/llvm.h"
#include "jit/opaque_masks.h"

namespace emulator::jit {
namespace {

// What a warp function needs of the standard pipeline, measured: registers into SSA form, the
// scalar clean-ups, loads and checks common to an iteration out of it. Loops are never unrolled or
// vectorised: they already are, by 32.
// From LLVM 18 on, instcombine ends the process where one iteration leaves something to do, unless
// told that this is no fault.
#if LLVM_VERSION_MAJOR >= 18
#define EMULATOR_INSTCOMBINE "instcombine<no-verify-fixpoint>"
#else
#define EMULATOR_INSTCOMBINE "instcombine"
#endif
constexpr const char* kPasses =
    "function(sroa,early-cse<memssa>," EMULATOR_INSTCOMBINE
    ",simplifycfg,"
    "loop-mssa(loop-rotate,licm),gvn," EMULATOR_INSTCOMBINE ",simplifycfg,adce)";

Handle<LLVMModuleRef> parse(const std::string& ir, LLVMContextRef context) {
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(ir.data(), ir.size(), "kernel");
  LLVMModuleRef module = nullptr;
  char* message = nullptr;
  if (LLVMParseIRInContext(context, buffer, &module, &message) != 0) {
    fail("the emulator wrote IR that LLVM does not accept", message);
  }
  Handle<LLVMModuleRef> owner{module, LLVMDisposeModule};
  if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message) != 0) {
    fail("the emulator wrote IR that is not valid", message);
  }
  LLVMDisposeMessage(message);
  return owner;
}

// 512-bit registers even where LLVM would rather not (older CPUs lower their clock for them): a
// warp of 32-bit values fills two of them.
void prefer_wide_vectors(LLVMModuleRef module, LLVMContextRef context) {
  const std::string key = "prefer-vector-width";
  const std::string width = "512";
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f != nullptr; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f) != 0) continue;
    LLVMAddAttributeAtIndex(
        f, static_cast<LLVMAttributeIndex>(LLVMAttributeFunctionIndex),
        LLVMCreateStringAttribute(context, key.c_str(), static_cast<unsigned>(key.size()),
                                  width.c_str(), static_cast<unsigned>(width.size())));
  }
}

void prepare(LLVMModuleRef module, LLVMContextRef context, LLVMTargetMachineRef machine) {
  char* triple = LLVMGetTargetMachineTriple(machine);
  LLVMSetTarget(module, triple);
  LLVMDisposeMessage(triple);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetModuleDataLayout(module, layout);
  LLVMDisposeTargetData(layout);
  prefer_wide_vectors(module, context);
}

void optimise(LLVMModuleRef module, LLVMTargetMachineRef machine) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(module, kPasses, machine, options);
  LLVMDisposePassBuilderOptions(options);
  check(error, "cannot optimise the kernel");
}

std::string generate(LLVMModuleRef module, LLVMTargetMachineRef machine) {
  LLVMMemoryBufferRef raw = nullptr;
  char* message = nullptr;
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &raw) != 0) {
    fail("cannot compile the kernel", message);
  }
  const Handle<LLVMMemoryBufferRef> buffer{raw, LLVMDisposeMemoryBuffer};
  return {LLVMGetBufferStart(raw), LLVMGetBufferSize(raw)};
}

}  // namespace

ObjectCode compile_ir(const std::string& ir, Optimisation optimisation) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const Handle<LLVMContextRef> context{LLVMContextCreate(), LLVMContextDispose};
  const Handle<LLVMModuleRef> module = parse(ir, context.get());
  const Handle<LLVMTargetMachineRef> machine = host_machine(
      optimisation == Optimisation::none ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault);
  prepare(module.get(), context.get(), machine.get());
  if (optimisation != Optimisation::none) {
    optimise(module.get(), machine.get());
    hide_merged_masks(module.get(), context.get());
  }
  const auto optimised = Clock::now();
  ObjectCode result;
  result.object = generate(module.get(), machine.get());
  result.optimise_seconds = std::chrono::duration<double>(optimised - begin).count();
  result.generate_seconds = std::chrono::duration<double>(Clock::now() - optimised).count();
  return result;
}

}  // namespace emulator::jit
