// Loops that wait for what other threads write, and whether those may be lanes of the same warp.
#pragma once

#include <cstdint>
#include <vector>

#include "lower/analysis.h"
#include "lower/control_flow.h"
#include "ptx/ast.h"

namespace emulator::lower {

// The blocks that a way backwards leads through again: they stand together (block_order.h).
struct Loop {
  std::uint32_t head;
  std::uint32_t end;  // from which the way leads back
  [[nodiscard]] bool holds(std::uint32_t block) const { return block >= head && block <= end; }
};

// What the values of registers come from.
class ValueSources {
 public:
  ValueSources(const ptx::Function& function, const ControlFlow& flow);

  struct Source {
    std::uint32_t block;
    const ptx::Instruction* instruction;
    bool operator==(const Source&) const = default;
  };
  // Adds the instructions of the loop that a register's value comes from.
  void add(const Loop& loop, std::uint32_t reg, std::vector<Source>& seen) const;

 private:
  std::vector<std::vector<Source>> writers_;  // by register
};

// Whether the way out of a loop hangs on what another thread may write, or there is no way out.
// Only then a loop of instructions that may wait has to let others go on.
class LoopExits {
 public:
  LoopExits(const ptx::Function& function, const ControlFlow& flow)
      : flow_(flow), sources_(function, flow) {}
  [[nodiscard]] bool hang_on_others(const Loop& loop) const;

 private:
  [[nodiscard]] bool in_every_round(const Loop& loop, std::uint32_t block) const;

  const ControlFlow& flow_;
  ValueSources sources_;
};

// Whether the instruction, in a loop, may be there to see what another thread has written.
[[nodiscard]] bool may_wait(const ptx::Instruction& instruction);

// Whether lanes of a warp that run together might wait for ever for each other: those that go round
// in a loop for those that rest where the warp goes on after it.
[[nodiscard]] bool lanes_wait_for_each_other(const ptx::Function& function, const ControlFlow& flow,
                                             const Analysis& analysis);
// Whether some lanes may come without the others to a barrier that is not .aligned.
[[nodiscard]] bool lanes_come_to_barriers_one_by_one(const ptx::Function& function,
                                                     const ControlFlow& flow,
                                                     const Analysis& analysis);
// Of a flow whose lanes take turns: those that wait in a loop for what other threads write are to
// come last, on its way back.
void let_waiting_loops_come_last(const ptx::Function& function, ControlFlow& flow);

}  // namespace emulator::lower
