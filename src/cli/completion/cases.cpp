#include "cli/completion/cases.h"

#include <fmt/format.h>

#include "cli/completion/quoting.h"

namespace autokernel::cli::completion {

std::string path_branches(const Offer& root) {
  std::string branches;
  for (const Offer& command : root.commands) {
    branches += fmt::format("      ({0}) place={0} ;;\n", quoted(command.path));
    branches += path_branches(command);
  }
  return branches;
}

std::string value_branches(const Offer& root, Reply reply) {
  std::string branches;
  for (const Option& option : root.options) {
    if (option.values.kind == Values::Kind::none) continue;
    for (const std::string& name : option.names) {
      branches += fmt::format("    ({}) {}; return ;;\n", quoted(root.path + " " + name),
                              reply(option.values));
    }
  }
  for (const Offer& command : root.commands) branches += value_branches(command, reply);
  return branches;
}

}  // namespace autokernel::cli::completion
