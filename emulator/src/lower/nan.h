// The bits of a NaN. On a GPU, a NaN that f32 arithmetic gives is always 0x7fffffff, whatever the
// operands were; the host gives others. Only few instructions see the difference, so that it is
// mended where the bits are looked at, which is rarely in a loop, and not where the NaN is made.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ast.h"

namespace emulator::lower {

inline constexpr std::uint64_t kCanonicalNanFloat = 0x7fffffff;

// Whether the instruction's result is an f32 whose NaNs have the host's bits.
[[nodiscard]] bool makes_host_nans(const ptx::Instruction& instruction);

// Per register: whether every NaN in it is a host's, to be read as the canonical one. False where a
// part of its values come from memory or from integers, whose NaNs keep their bits.
[[nodiscard]] std::vector<bool> registers_of_host_nans(const ptx::Function& function);

// Whether it makes a difference to the instruction which NaN an operand is.
[[nodiscard]] bool sees_nan_bits(const ptx::Instruction& instruction,
                                 const std::vector<bool>& host_nans);

}  // namespace emulator::lower
