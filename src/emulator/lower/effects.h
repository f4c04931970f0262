// Which registers an instruction reads and writes.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/ptx/ast.h"

namespace emulator::lower {

struct Effects {
  std::vector<std::uint32_t> reads;  // register indices; a guard's predicate included
  std::vector<std::uint32_t> writes;
};
[[nodiscard]] Effects effects_of(const ptx::Instruction& instruction);

// Whether the first operand receives a result.
[[nodiscard]] bool has_result(const ptx::Instruction& instruction);

}  // namespace emulator::lower
