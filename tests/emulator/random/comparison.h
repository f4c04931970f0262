// A random program on the emulator against the same walked over, and the smallest part of it that
// still differs.
#pragma once

#include <optional>
#include <string>

#include "emulator/random/program.h"

namespace emulator::testing::random {

// What differs first, in words; nothing where the emulator does what PTX says.
[[nodiscard]] std::optional<std::string> difference(const Program& program);

// The program without the statements that the difference does not need.
[[nodiscard]] Program shrunk(Program program);

}  // namespace emulator::testing::random
