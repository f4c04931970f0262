// The control flow of one kernel: basic blocks in the order in which the parts of a split warp run
// them (block_order.h), and which registers are live into each.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "ptx/ast.h"

namespace emulator::lower {

// A set of small integers.
class IndexSet {
 public:
  explicit IndexSet(std::size_t size = 0) : words_((size + 63) / 64) {}
  void insert(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void erase(std::size_t i) { words_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  [[nodiscard]] bool contains(std::size_t i) const {
    return ((words_[i / 64] >> (i % 64)) & 1U) != 0;
  }
  // Adds all of `other`; whether anything was new.
  bool merge(const IndexSet& other);
  [[nodiscard]] bool empty() const;
  [[nodiscard]] std::vector<std::uint32_t> items() const;  // ascending

 private:
  std::vector<std::uint64_t> words_;
};

// How the lanes of a warp get on that a branch has sent different ways.
enum class LanesChoice : std::uint8_t {
  together,  // those behind a loop wait for those that are in it
  in_turns,  // those that wait in a loop, or for lanes that they need, let others go on
};

struct BasicBlock {
  enum class End : std::uint8_t {
    jump,         // one successor
    conditional,  // successors[0] where the predicate holds, successors[1] where it does not
    indexed,      // brx.idx: successors[i] for index i; the last one where a guard does not hold
    stop,         // trap and calls that do not return: nothing follows
  };
  // When lanes go on that wait for the block; LanesChoice::together knows only the first.
  enum class Start : std::uint8_t {
    at_once,
    gathered,  // when all are there that its first instruction needs
    last,      // when no others can: a way back of a loop that waits for what other threads write
  };
  Start start = Start::at_once;
  std::uint32_t first =
      0;  // instructions [first, last) of the body; a branch at the end is not among them
  std::uint32_t last = 0;
  End end = End::jump;
  ptx::Guard condition{};                 // of a conditional end, and of a guarded indexed one
  bool guarded = false;                   // an indexed end that not all lanes need take
  ptx::Register index{};                  // of an indexed one
  std::uint32_t line = 0;                 // of its last instruction, in the PTX
  std::vector<std::uint32_t> successors;  // blocks; blocks.size() is the exit
};

struct ControlFlow {
  std::vector<BasicBlock> blocks;
  std::vector<IndexSet> live_in;  // registers live into each block; one more, empty, for the exit
  [[nodiscard]] std::uint32_t exit() const { return static_cast<std::uint32_t>(blocks.size()); }
};

// Whether what is looked for can be come to from the beginning of `block` on. `look` is called once
// for each block on the way, and for the exit: true where it is there, false where the way ends.
[[nodiscard]] bool can_reach(const ControlFlow& flow, std::uint32_t block,
                             const std::function<std::optional<bool>(std::uint32_t)>& look);

// Blocks of more instructions than `longest` are cut. Where lanes take turns, instructions that
// need other lanes are blocks of their own, and every loop has an empty one as its last.
[[nodiscard]] ControlFlow control_flow_of(
    const ptx::Module& module, const ptx::Function& function,
    std::uint32_t longest = std::numeric_limits<std::uint32_t>::max(),
    LanesChoice lanes = LanesChoice::together);

}  // namespace emulator::lower
