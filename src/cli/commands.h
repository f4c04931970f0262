// What makes each subcommand. Its .cpp has the rest: the class with its options, and its run.
#pragma once

#include <memory>

#include "cli/command.h"

namespace autokernel::cli {

#define COMMAND(name) [[nodiscard]] std::unique_ptr<Command> name##_command();
#include "cli/case/commands.def"
#include "cli/commands.def"
#include "cli/loop/commands.def"
#undef COMMAND

}  // namespace autokernel::cli
