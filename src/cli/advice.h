// The one hint that ends each report: what to look at next.
#pragma once

#include <string>

#include "autokernel/trial/result.h"

namespace autokernel::cli {

[[nodiscard]] std::string advice(const trial::Result& result);

}  // namespace autokernel::cli
