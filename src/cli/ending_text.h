// How a user's program ended, as a sentence goes on: "ended with exit code 1".
#pragma once

#include <string>

#include "autokernel/base/process.h"

namespace autokernel::cli {

[[nodiscard]] std::string ending_text(const Ending& ending);

}  // namespace autokernel::cli
