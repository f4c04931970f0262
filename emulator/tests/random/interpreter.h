// Runs a random program by walking its statements, thread by thread where threads do not meet.
#pragma once

#include <cstdint>
#include <vector>

#include "random/program.h"

namespace emulator::testing::random {

// What the program leaves: kOutputs words for each thread, block after block.
[[nodiscard]] std::vector<std::uint64_t> interpret(const Program& program,
                                                   const std::vector<std::uint64_t>& input);

}  // namespace emulator::testing::random
