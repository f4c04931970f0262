// A picture that a user names a file for.
#pragma once

#include <string>

#include "autokernel/plot/plot.h"

namespace autokernel::cli {

// By the ending of its name. Throws Error(usage) where that is neither .png nor .svg.
[[nodiscard]] plot::Format picture_format(const std::string& file);

// Throws Error(usage) for a file that no picture can be written to, or that is a source; nothing
// where it is empty.
void require_picture(const std::string& file);

}  // namespace autokernel::cli
