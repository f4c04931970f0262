// Values of options that more than one command takes, once they are read.
#pragma once

#include <string>

namespace autokernel::cli {

// Throws Error(usage) for text that is not of the form sm_80 or sm_90a; empty text is the device's
// own.
void require_architecture(const std::string& text);

// --min-gain: a percentage as a share. Throws Error(usage) for one that is not above 0 and below
// 100.
[[nodiscard]] double least_gain(double percent);

}  // namespace autokernel::cli
