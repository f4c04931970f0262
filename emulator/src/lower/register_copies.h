// Whole registers on their way to an entry point, and back: into and out of the areas of the warp's
// context. In a long kernel the runtime copies them, from and to the frame its parts share: one
// call, where a load and a store for each is what most of a tensor core's instruction is made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lower/writer.h"
#include "runtime/register_copies.h"

namespace emulator::lower {

struct RegisterCopy {
  ptx::Operand operand;
  ptx::Type type;        // as which a constant is read
  std::uint64_t offset;  // in runtime::WarpContext
};

void hand_over(Writer& writer, const std::vector<RegisterCopy>& copies);
void take_back(Writer& writer, const std::vector<RegisterCopy>& copies);

}  // namespace emulator::lower
