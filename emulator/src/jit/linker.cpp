#include "jit/linker.h"

#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>

#include <vector>

#include "jit/llvm.h"
#include "jit/symbols.h"

namespace emulator::jit {
namespace {

class Linked final : public MachineCode {
 public:
  Linked(const std::vector<std::string>& objects,
         const std::map<std::string, std::uint64_t>& variables) {
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(host_machine().release()));
    LLVMOrcLLJITRef jit = nullptr;
    check(LLVMOrcCreateLLJIT(&jit, builder), "cannot create the JIT");
    jit_.reset(jit);
    define_symbols(variables);
    for (const std::string& object : objects) {
      LLVMMemoryBufferRef buffer =
          LLVMCreateMemoryBufferWithMemoryRangeCopy(object.data(), object.size(), "kernel");
      check(LLVMOrcLLJITAddObjectFile(jit, LLVMOrcLLJITGetMainJITDylib(jit), buffer),
            "cannot add a kernel to the JIT");
    }
  }

  [[nodiscard]] std::uint64_t address(const std::string& name) const override {
    LLVMOrcExecutorAddress found = 0;
    check(LLVMOrcLLJITLookup(jit_.get(), &found, name.c_str()), "cannot link the kernel");
    return found;
  }

 private:
  // No generator for the process's own symbols is added: what is not in the list cannot be reached.
  void define_symbols(const std::map<std::string, std::uint64_t>& variables) {
    std::vector<LLVMOrcCSymbolMapPair> pairs;
    const auto define = [&](const char* name, std::uint64_t address, std::uint8_t flags) {
      LLVMOrcCSymbolMapPair pair;
      pair.Name = LLVMOrcLLJITMangleAndIntern(jit_.get(), name);
      pair.Sym.Address = address;
      pair.Sym.Flags = {flags, 0};
      pairs.push_back(pair);
    };
    for (const runtime::EntryPoint& symbol : callable_symbols()) {
      define(symbol.name, reinterpret_cast<std::uintptr_t>(symbol.address),
             LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable);
    }
    for (const auto& [name, address] : variables)
      define(name.c_str(), address, LLVMJITSymbolGenericFlagsExported);
    check(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit_.get()),
                                LLVMOrcAbsoluteSymbols(pairs.data(), pairs.size())),
          "cannot define the JIT's symbols");
  }

  static void dispose(LLVMOrcLLJITRef jit) { LLVMConsumeError(LLVMOrcDisposeLLJIT(jit)); }
  Handle<LLVMOrcLLJITRef> jit_{nullptr, dispose};
};

}  // namespace

std::shared_ptr<const MachineCode> link(const std::vector<std::string>& objects,
                                        const std::map<std::string, std::uint64_t>& variables) {
  return std::make_shared<Linked>(objects, variables);
}

}  // namespace emulator::jit
