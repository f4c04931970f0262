// Which functions of a module a kernel may call, and what they have in them that lanes of a warp
// cannot do together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/ast.h"

namespace emulator::lower {

// The parts of a call: of a function, or through a register that holds a function's address.
struct CallParts {
  std::optional<std::uint32_t> callee;  // into Module::functions
  std::optional<ptx::Register> pointer;
  std::vector<ptx::Operand> results;
  std::vector<ptx::Operand> arguments;
};
[[nodiscard]] CallParts parts_of(const ptx::Instruction& call);
// Whether it is a call of a function that the module defines, or through a pointer.
[[nodiscard]] bool calls_code(const ptx::Module& module, const ptx::Instruction& instruction);

struct CallGraph {
  std::vector<std::uint32_t> functions;  // defined ones the kernel may call, ascending
  std::vector<std::uint32_t> addressed;  // those among them that a pointer may name
  bool recurses = false;
  bool through_pointers = false;
  bool allocates = false;  // alloca
  // Where each call were a copy; meaningless if it recurses.
  std::size_t inlined = 0;        // instructions
  std::size_t inlined_names = 0;  // registers and variables
};
// Throws ptx::Error where a function is called that nobody defines, or where calls nest deeper than
// this, which is a hundred times what programs do: whoever follows them recurses.
inline constexpr std::size_t kDeepestCalls = 1000;
[[noreturn]] void refuse_depth(ptx::Location where);
[[nodiscard]] CallGraph call_graph(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace emulator::lower
