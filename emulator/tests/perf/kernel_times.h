// What one kernel costs on the emulated device, phase by phase, through the emulator's layers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "jit/compiler.h"
#include "runtime/memory.h"

namespace emulator::perf {

struct Program {
  std::string name;
  std::string ptx;
  std::string kernel;
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::array<std::uint32_t, 3> block = {1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  // Each parameter points to so many bytes of zeros.
  std::vector<std::size_t> buffers;
};

struct Times {
  std::size_t instructions = 0;
  double parse = 0;  // these in seconds, of one run
  double check = 0;
  double lower = 0;
  double optimise = 0;
  double generate = 0;
  double link = 0;
  double from_cache = 0;  // from the text to code that runs, where an earlier process compiled it
  double launch = 0;      // median

  // From the PTX's text to code that runs.
  [[nodiscard]] double compile() const {
    return parse + check + lower + optimise + generate + link;
  }
};

struct Compiled {
  Times times;
  std::shared_ptr<const jit::CompiledKernel> kernel;
};
// Compiles the program's kernel, whose variables are placed in `memory`.
[[nodiscard]] Compiled compile(const Program& program, runtime::Memory& memory);

// The fastest compile of `compiles`, and the median of `launches`, which may be 0. Throws
// std::runtime_error where the kernel faults.
[[nodiscard]] Times measure(const Program& program, int compiles, int launches);

// What it is lowered to, as LLVM's own tools read it.
[[nodiscard]] std::string ir_of(const Program& program);

}  // namespace emulator::perf
