// Whether a [command] case will do: it accepts its own program, and refuses damaged outputs.
#pragma once

#include <filesystem>
#include <functional>

#include "cli/case/examination.h"

namespace autokernel::cli {

// As examine_case().
void examine_command_case(const std::filesystem::path& folder,
                          const std::function<void(const CheckLine&)>& tell);

}  // namespace autokernel::cli
