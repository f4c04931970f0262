// LLVM, behind two calls: IR text in, machine code out. The only place that includes LLVM's
// headers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace emulator::jit {

// Machine code of one IR module, alive as long as this object.
class MachineCode {
 public:
  virtual ~MachineCode() = default;
  // The address of a function the module defines. Throws std::runtime_error where there is none.
  [[nodiscard]] virtual std::uint64_t address(const std::string& name) const = 0;
};

// Optimises and compiles for the host CPU. The code can call the runtime's entry points and a fixed
// list of mathematical functions, and nothing else of the process. Throws std::runtime_error with
// LLVM's message: a defect of the lowering. Thread-safe.
[[nodiscard]] std::shared_ptr<const MachineCode> compile_ir(const std::string& ir);

}  // namespace emulator::jit
