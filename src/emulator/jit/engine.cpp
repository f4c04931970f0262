#include "emulator/jit/engine.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>

#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "emulator/jit/symbols.h"

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

[[noreturn]] void fail(const std::string& what, char* message) {
  std::string text = what;
  if (message != nullptr) {
    text += ": ";
    text += message;
    LLVMDisposeMessage(message);
  }
  throw std::runtime_error(text);
}

void check(LLVMErrorRef error, const std::string& what) {
  if (error == nullptr) return;
  char* message = LLVMGetErrorMessage(error);
  const std::string text = what + ": " + message;
  LLVMDisposeErrorMessage(message);
  throw std::runtime_error(text);
}

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

// Frees with a C function, as a unique_ptr.
template <typename T>
using Handle = std::unique_ptr<std::remove_pointer_t<T>, void (*)(T)>;

Handle<LLVMTargetMachineRef> host_machine() {
  char* triple = LLVMGetDefaultTargetTriple();
  char* cpu = LLVMGetHostCPUName();
  char* features = LLVMGetHostCPUFeatures();
  LLVMTargetRef target = nullptr;
  char* message = nullptr;
  if (LLVMGetTargetFromTriple(triple, &target, &message) != 0)
    fail("no LLVM target for this machine", message);
  LLVMTargetMachineRef machine =
      LLVMCreateTargetMachine(target, triple, cpu, features, LLVMCodeGenLevelDefault,
                              LLVMRelocDefault, LLVMCodeModelJITDefault);
  LLVMDisposeMessage(triple);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(features);
  return {machine, LLVMDisposeTargetMachine};
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

class Jit final : public MachineCode {
 public:
  explicit Jit(const std::string& ir) {
    initialise_once();
    Handle<LLVMOrcThreadSafeContextRef> context{LLVMOrcCreateNewThreadSafeContext(),
                                                LLVMOrcDisposeThreadSafeContext};
    LLVMContextRef raw_context = LLVMOrcThreadSafeContextGetContext(context.get());
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(ir.data(), ir.size(), "kernel");
    LLVMModuleRef module = nullptr;
    char* message = nullptr;
    if (LLVMParseIRInContext(raw_context, buffer, &module, &message) != 0) {
      fail("the emulator wrote IR that LLVM does not accept", message);
    }
    Handle<LLVMModuleRef> owner{module, LLVMDisposeModule};
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message) != 0) {
      fail("the emulator wrote IR that is not valid", message);
    }
    LLVMDisposeMessage(message);
    optimise(module, raw_context);
    create();
    LLVMOrcThreadSafeModuleRef safe =
        LLVMOrcCreateNewThreadSafeModule(owner.release(), context.get());
    check(LLVMOrcLLJITAddLLVMIRModule(jit_.get(), LLVMOrcLLJITGetMainJITDylib(jit_.get()), safe),
          "cannot add a kernel to the JIT");
  }

  [[nodiscard]] std::uint64_t address(const std::string& name) const override {
    LLVMOrcExecutorAddress found = 0;
    check(LLVMOrcLLJITLookup(jit_.get(), &found, name.c_str()), "cannot compile the kernel");
    return found;
  }

 private:
  static void optimise(LLVMModuleRef module, LLVMContextRef context) {
    const auto machine = host_machine();
    char* triple = LLVMGetTargetMachineTriple(machine.get());
    LLVMSetTarget(module, triple);
    LLVMDisposeMessage(triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine.get());
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    prefer_wide_vectors(module, context);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, kPasses, machine.get(), options);
    LLVMDisposePassBuilderOptions(options);
    check(error, "cannot optimise the kernel");
  }

  void create() {
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(host_machine().release()));
    LLVMOrcLLJITRef jit = nullptr;
    check(LLVMOrcCreateLLJIT(&jit, builder), "cannot create the JIT");
    jit_.reset(jit);
    define_symbols();
  }

  // No generator for the process's own symbols is added: what is not in the list cannot be called.
  void define_symbols() {
    std::vector<LLVMOrcCSymbolMapPair> pairs;
    for (const runtime::EntryPoint& symbol : callable_symbols()) {
      LLVMOrcCSymbolMapPair pair;
      pair.Name = LLVMOrcLLJITMangleAndIntern(jit_.get(), symbol.name);
      pair.Sym.Address = reinterpret_cast<std::uintptr_t>(symbol.address);
      pair.Sym.Flags = {LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0};
      pairs.push_back(pair);
    }
    check(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit_.get()),
                                LLVMOrcAbsoluteSymbols(pairs.data(), pairs.size())),
          "cannot define the JIT's symbols");
  }

  static void dispose(LLVMOrcLLJITRef jit) { LLVMConsumeError(LLVMOrcDisposeLLJIT(jit)); }
  Handle<LLVMOrcLLJITRef> jit_{nullptr, dispose};
};

}  // namespace

std::shared_ptr<const MachineCode> compile_ir(const std::string& ir) {
  return std::make_shared<Jit>(ir);
}

}  // namespace emulator::jit
