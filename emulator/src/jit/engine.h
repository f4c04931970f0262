// LLVM, first half: IR text in, machine code as an object file out. linker.h makes it run.
#pragma once

#include <cstdint>
#include <string>

namespace emulator::jit {

struct ObjectCode {
  std::string object;           // an ELF file
  double optimise_seconds = 0;  // reading the IR included
  double generate_seconds = 0;
};

enum class Optimisation : std::uint8_t {
  standard,
  none,  // no pass that could do harm: to tell its mistakes from the lowering's
};

// Optimises and compiles for the host CPU. Throws std::runtime_error with LLVM's message: a defect
// of the lowering. Thread-safe.
[[nodiscard]] ObjectCode compile_ir(const std::string& ir,
                                    Optimisation optimisation = Optimisation::standard);

}  // namespace emulator::jit
