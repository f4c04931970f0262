// What the lowering must know of a kernel before it writes a line: the values of every register,
// which branches may split a warp, and where lanes may be waiting while a block runs.
//
// A warp runs its lanes together, under a mask. Where a branch splits it, each part waits at the
// block it goes to, and the first of these blocks (block_order.h) runs next; parts that meet at a
// block go on together. So for every block b there is a set pending(b) of blocks at which other
// lanes may wait while b runs: all behind b, unless lanes take turns. It decides everything: where
// a jump must look for waiting lanes, whether a write must leave the lanes outside the mask alone,
// and whether a register may be kept as a scalar at all: not if some lane waits at a block that
// still reads the old value.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lower/control_flow.h"
#include "lower/lane_values.h"
#include "lower/layout.h"
#include "ptx/ast.h"

namespace emulator::lower {

// What the launch fixes, and what runs by itself. grid is an upper bound in each dimension.
struct LaunchShape {
  std::array<std::uint32_t, 3> block;
  std::array<std::uint32_t, 3> grid;
  std::uint32_t dynamic_shared_bytes = 0;
  bool clustered = false;         // blocks form clusters of several
  bool explicit_cluster = false;  // the launch or the kernel says how many blocks form one
  // Where threads run by themselves, the code is written for one lane: every value is uniform, and
  // nothing ever diverges.
  runtime::Unit unit = runtime::Unit::warp;

  [[nodiscard]] bool by_thread() const { return unit == runtime::Unit::thread; }
  [[nodiscard]] std::uint32_t threads() const { return block[0] * block[1] * block[2]; }
  // Whether every warp of a block has all its lanes, and they run together.
  [[nodiscard]] bool full_warps() const {
    return !by_thread() && threads() % runtime::kWarpSize == 0;
  }
};

// %tid of lane `lane` of warp `warp`.
[[nodiscard]] std::uint32_t thread_index(const LaunchShape& shape, unsigned dimension,
                                         std::uint32_t warp, unsigned lane);

// The values of a special register.
[[nodiscard]] LaneValues values_of(const ptx::SpecialRegister& special, const LaunchShape& shape);

struct Analysis {
  std::vector<LaneValues> register_values;  // per register
  std::vector<bool> divergent;              // per block: its end may send lanes different ways
  std::vector<IndexSet> pending;            // per block
  std::vector<IndexSet> kept;               // per block: registers some waiting lane still reads
  std::vector<bool> thinned;                // per block: some lanes may have exited before it runs
  std::vector<bool> gathers_all;            // per block: begins where all lanes of the warp gather

  // Whether all lanes that have not exited run `block` together.
  [[nodiscard]] bool converged(std::uint32_t block) const { return pending[block].empty(); }
};
// What the values are worked out from.
enum class Knowledge : std::uint8_t {
  of_instructions,
  none,  // every register may hold anything in each lane: for what is compared with the other
};
[[nodiscard]] Analysis analyse(const ptx::Module& module, const ptx::Function& function,
                               const ControlFlow& flow, const LaunchShape& shape,
                               const Layout& layout, const SymbolAddresses& symbols,
                               Knowledge knowledge = Knowledge::of_instructions);

// Whether all lanes of the warp that have not exited have to come to the instruction, as far as is
// known of the register that names them.
[[nodiscard]] bool names_all_lanes(const ptx::Instruction& instruction,
                                   const std::vector<LaneValues>& register_values);

struct NextBlock {
  std::uint32_t block;
  bool once_gathered;  // only if all lanes wait there that its first instruction needs
};
// Blocks that may run next when lanes go from a block with `pending` to `targets` (several: any of
// them may get none), in the order they are to be tried; the last is certain to have lanes unless
// the exit is among the targets. Blocks to be run last come behind the others, those first whose
// turn it is, and then blocks whose lanes have not gathered.
[[nodiscard]] std::vector<NextBlock> next_blocks(const ControlFlow& flow, const IndexSet& pending,
                                                 const std::vector<std::uint32_t>& targets);

}  // namespace emulator::lower
