// A long kernel is compiled in parts, each a function of some hundred instructions: what LLVM needs
// for a function grows faster than its length, and parts are compiled side by side. Whatever one
// block leaves for another lies in memory then, in a frame that all parts share; a part ends by
// naming the block that runs next, and the kernel calls the part that holds it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lower/analysis.h"
#include "lower/control_flow.h"
#include "lower/ir.h"
#include "ptx/ast.h"

namespace emulator::lower {

// Whether a kernel is compiled in parts.
enum class PartsChoice : std::uint8_t {
  automatic,  // a long one
  never,
  always,  // and short ones, so that there are several
};

// Kernels of more instructions are cut. Up to about here LLVM's time grows with the length alone,
// and the whole function, whose values need not go through memory, runs faster.
inline constexpr std::uint32_t kLongKernel = 1000;

// How many instructions a part of such a kernel has. Blocks are no longer than that either.
[[nodiscard]] std::uint32_t part_length(const ptx::Function& function, PartsChoice choice);

// What all parts share: the addresses of values in it.
struct PartsFrame {
  static constexpr std::uint64_t kAlignment = 64;
  // What its address is called in each of them.
  [[nodiscard]] static Value pointer() { return {"%parts_frame", "ptr", 1}; }

  // By register. None where no block leaves a value of it for another, but for those that hold
  // fragments of matrices.
  std::vector<std::optional<std::uint64_t>> registers;
  std::uint64_t waiting = 0;  // i32 per block: the lanes that wait for it
  std::uint64_t running = 0;  // i32 per block: the lanes that run it now
  std::uint64_t zeros = 0;    // so many bytes from the beginning on are zeros at first
  std::uint64_t bytes = 0;

  // Makes room behind all others.
  std::uint64_t reserve(std::uint64_t wanted);
};
// Registers that are never needed at the same time share their place.
[[nodiscard]] PartsFrame parts_frame(const ptx::Function& function, const ControlFlow& flow,
                                     const Analysis& analysis);

// The first block of each part, ascending.
[[nodiscard]] std::vector<std::uint32_t> first_blocks(const ControlFlow& flow,
                                                      std::uint32_t part_length);

}  // namespace emulator::lower
