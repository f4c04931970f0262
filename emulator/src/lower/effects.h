// Which registers an instruction reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/ast.h"

namespace emulator::lower {

struct Effects {
  std::vector<std::uint32_t> reads;  // register indices; a guard's predicate included
  std::vector<std::uint32_t> writes;
};
[[nodiscard]] Effects effects_of(const ptx::Instruction& instruction);

// By register: whether any instruction of the function reads it.
[[nodiscard]] std::vector<bool> registers_read(const ptx::Function& function);

// Whether it works on fragments of matrices, which lie across the lanes of a warp.
[[nodiscard]] bool is_of_matrices(ptx::Opcode opcode);
// Whether the lanes of a warp carry it out together, each on what the others bring.
[[nodiscard]] bool is_warp_wide(ptx::Opcode opcode);

// The operand that names the lanes which carry it out; none where that is the whole warp.
[[nodiscard]] std::optional<std::size_t> members_operand(const ptx::Instruction& instruction);
// Whether it is a fault where a lane that it needs runs other code: a barrier, or what the lanes of
// a warp carry out together.
[[nodiscard]] bool needs_other_lanes(const ptx::Instruction& instruction);

// Whether the first operand receives a result.
[[nodiscard]] bool has_result(const ptx::Instruction& instruction);

}  // namespace emulator::lower
