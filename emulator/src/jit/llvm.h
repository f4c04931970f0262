// LLVM's C interface: owners of its handles, and its errors as exceptions. For the .cpp files of
// this folder alone: nothing else of the emulator sees LLVM's headers.
#pragma once

#include <llvm-c/Error.h>
#include <llvm-c/TargetMachine.h>

#include <memory>
#include <string>
#include <type_traits>

namespace emulator::jit {

// Frees with a C function, as a unique_ptr.
template <typename T>
using Handle = std::unique_ptr<std::remove_pointer_t<T>, void (*)(T)>;

// Throws std::runtime_error("WHAT: MESSAGE"), and frees the message, which may be null.
[[noreturn]] void fail(const std::string& what, char* message);
// The same where there is an error.
void check(LLVMErrorRef error, const std::string& what);

// The host's CPU and its features, as LLVM writes them.
[[nodiscard]] std::string host_cpu();
// What the host's code is generated for.
[[nodiscard]] Handle<LLVMTargetMachineRef> host_machine(
    LLVMCodeGenOptLevel level = LLVMCodeGenLevelDefault);

}  // namespace emulator::jit
