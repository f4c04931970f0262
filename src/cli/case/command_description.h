// What a [command] case asks of a program, as a person or a program reads it.
#pragma once

#include <string>

#include "autokernel/cases/case.h"

namespace autokernel::cli {

[[nodiscard]] std::string command_description_text(const cases::Case& problem);
// The same as one JSON object: docs/commands.md.
[[nodiscard]] std::string command_description_json(const cases::Case& problem);

}  // namespace autokernel::cli
