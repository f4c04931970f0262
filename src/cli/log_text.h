// The whole story of one bench, for the log file: what was asked, what came out, every line of
// diagnostics, and the compiler's and the device's own words with whatever the kernel printed.
#pragma once

#include <string>
#include <vector>

#include "autokernel/trial/result.h"

namespace autokernel::cli {

[[nodiscard]] std::string log_text(const trial::Request& request, const trial::Result& result,
                                   const std::vector<std::string>& notes);

}  // namespace autokernel::cli
