// Launches of a program that were replaced, and those that were not, as verify and apply tell them.
#pragma once

#include <string>

#include "autokernel/programs/replaced_launches.h"

namespace autokernel::cli {

// "24 of 24 launches replaced"; "20 of 24 launches replaced; 4 with other numbers".
[[nodiscard]] std::string launches_text(const programs::ReplacedLaunches& launches);

}  // namespace autokernel::cli
