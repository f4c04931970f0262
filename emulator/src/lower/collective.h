// Warp-wide instructions of threads that run by themselves.
#pragma once

#include "lower/thread_function.h"
#include "lower/writer.h"

namespace emulator::lower {

// The lane hands its operands over and waits for the others (runtime::Block::meet). The last to
// come runs `carry_out`, which lowers collective.gathered as for a warp, and all take their
// results.
template <typename CarryOut>
void lower_collective(Writer& writer, const Collective& collective, const CarryOut& carry_out);

// The parts of that which do not depend on the instruction.
class Meeting {
 public:
  Meeting(Writer& writer, const Collective& collective)
      : writer_(writer), collective_(collective) {}

  void begin();  // what follows is run by the lane that leads
  void end();    // and what follows here by all

 private:
  void hand_over();
  void take_from_all();

  Writer& writer_;
  const Collective& collective_;
  std::string met_;
  Value lanes_;
};

template <typename CarryOut>
void lower_collective(Writer& writer, const Collective& collective, const CarryOut& carry_out) {
  Meeting meeting(writer, collective);
  meeting.begin();
  carry_out(collective.gathered);
  meeting.end();
}

}  // namespace emulator::lower
