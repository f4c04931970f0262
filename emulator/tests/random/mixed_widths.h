// Random programs whose registers are not as wide as the instructions that use them, and hold
// numbers of which much is known: constants, thread indices, what one address holds for all. They
// are for what the lowering claims of registers (lower/claims.h); nobody says what they compute.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/outcome.h"

namespace emulator::testing::random {

struct MixedWidths {
  std::string ptx;  // takes the addresses of input and output
  std::vector<std::uint32_t> input;
  std::size_t output_words;
  Grid launch;
  bool repeatable;  // it leaves the same each time: none of it comes from a host address
};

// The same for the same seed everywhere.
[[nodiscard]] MixedWidths mixed_widths(std::uint64_t seed);

}  // namespace emulator::testing::random
