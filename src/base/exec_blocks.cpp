#include "base/exec_blocks.h"

namespace autokernel {

std::vector<std::string> arguments_of(const Command& command) {
  std::vector<std::string> arguments{command.program.string()};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  return arguments;
}

std::vector<std::string> environment_of(const Command& command) {
  Variables variables = command.environment;
  if (command.inherits == Inherits::everything) variables.merge(own_variables());
  std::vector<std::string> entries;
  entries.reserve(variables.size());
  for (const auto& [name, value] : variables) entries.push_back(std::string(name) + "=" + value);
  return entries;
}

}  // namespace autokernel
