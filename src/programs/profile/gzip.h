// What gzip has compressed, expanded piece by piece.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "programs/profile/pieces.h"

namespace autokernel::programs {

// A small file can expand to more than any disk holds, and reading it would take hours.
struct ExpansionLimits {
  // The largest traces that people share have about 2 GiB; they are read in a few minutes.
  std::uint64_t most_bytes = 8ULL << 30;
  // gzip makes at most 1032 bytes of one. Traces shrink to a tenth or a fiftieth: what expands by
  // more than this is made to do harm. Not counted before `unsuspicious` bytes.
  std::uint64_t most_per_byte = 500;
  std::uint64_t unsuspicious = 256ULL << 20;
};

[[nodiscard]] bool is_gzip(std::string_view beginning);

// The expanded bytes; several compressed parts in a row are one, as gzip has it. While it is called
// it throws Error(usage), "ATTEMPT: why": where the data are cut or damaged, or exceed a limit.
[[nodiscard]] Pieces expanded(Pieces compressed, std::string attempt,
                              const ExpansionLimits& limits = {});

}  // namespace autokernel::programs
