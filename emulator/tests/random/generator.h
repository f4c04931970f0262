// Random programs and their input, the same for the same seed everywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "random/program.h"

namespace emulator::testing::random {

[[nodiscard]] Program generate(std::uint64_t seed);
// Numbers that are edges of some format as often as not.
[[nodiscard]] std::vector<std::uint64_t> input_of(const Program& program);

}  // namespace emulator::testing::random
