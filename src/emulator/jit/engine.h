// LLVM, first half: IR text in, machine code as an object file out. linker.h makes it run.
#pragma once

#include <string>

namespace emulator::jit {

struct ObjectCode {
  std::string object;           // an ELF file
  double optimise_seconds = 0;  // reading the IR included
  double generate_seconds = 0;
};

// Optimises and compiles for the host CPU. Throws std::runtime_error with LLVM's message: a defect
// of the lowering. Thread-safe.
[[nodiscard]] ObjectCode compile_ir(const std::string& ir);

}  // namespace emulator::jit
