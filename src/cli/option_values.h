// Values of options that more than one command takes, once they are read.
#pragma once

#include <optional>
#include <string>

#include "autokernel/trial/result.h"

namespace autokernel::cli {

// Throws Error(usage) for text that is not of the form sm_80 or sm_90a; empty text is the device's
// own.
void require_architecture(const std::string& text);

// --min-gain: a percentage as a share. Throws Error(usage) for one that is not above 0 and below
// 100.
[[nodiscard]] double min_gain_of(double percent);

// --timeout: `usual` with these seconds for each of compiling, checking and timing, if they are
// given. Throws Error(usage) for what is not above 0 and at most a day.
[[nodiscard]] trial::Limits limits_with(std::optional<double> timeout_seconds,
                                        const trial::Limits& usual);

}  // namespace autokernel::cli
