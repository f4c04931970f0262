// The conditions of a measurement as people read them.
#pragma once

#include <string>

#include "autokernel/trial/conditions.h"

namespace autokernel::cli {

// "SM 1755 to 1980 MHz, memory 3201 MHz, up to 59 C, up to 691 W; it reaches its power limit";
// empty where nothing is known.
[[nodiscard]] std::string conditions_text(const trial::Conditions& conditions);

}  // namespace autokernel::cli
