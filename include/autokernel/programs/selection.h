// Which part of a profile counts: what was launched within an NVTX range, or repetitions that the
// launches show by themselves, less those at the beginning that warm up.
#pragma once

#include <string>

#include "autokernel/programs/profile.h"

namespace autokernel::programs {

struct Selection {
  // Text of the ranges whose work counts, '*' for any characters; empty: no range.
  std::string range;
  // Only whole repetitions ("iterations") of the sequence of launches count. Not with a range.
  bool iterations = false;
  int warmup = 0;  // ranges or iterations to leave out at the beginning; needs either
  int most = 0;    // ranges or iterations to take after these; 0: all

  friend bool operator==(const Selection&, const Selection&) = default;
};

struct Selected {
  Profile profile;
  std::string part;  // what it is, in words: "20 of 23 ranges 'forward'"; empty: all
  int repetitions = 1;
};

// Throws Error(usage) where there is no such range or iteration, or not so many: it names those
// there are.
[[nodiscard]] Selected selected(Profile profile, const Selection& selection);

}  // namespace autokernel::programs
