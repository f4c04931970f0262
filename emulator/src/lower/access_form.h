// Which vectors of elements ld and st may have, and which words go with them.
#pragma once

#include <cstdint>

#include "ptx/ast.h"

namespace emulator::lower {

// Refuses a vector that is too long for its memory, one of which nothing is loaded or stored, and
// words that go with other vectors.
void require_access_form(const ptx::Instruction& instruction);

// How st.async and red.async complete.
enum class Completion : std::uint8_t {
  at_mbarrier,  // in the shared memory of a cluster
  by_release,   // in global memory (sm_100): all that was done before is seen with it
};
// Refuses what has neither form.
[[nodiscard]] Completion completion_of(const ptx::Instruction& instruction);

}  // namespace emulator::lower
