// The brief that an agent gets at the start of a turn. It starts with no memory, so everything is
// in it.
#pragma once

#include <filesystem>
#include <string>

#include "autokernel/loop/status.h"

namespace autokernel::loop {

// Markdown. `idea_file` is where the agent is to put its idea in a sentence; `remarks` are things
// to know of the turn before, one a line; empty: none. `playbook` is a file that says what pays;
// empty: there is none.
[[nodiscard]] std::string brief_of(const Status& status, const std::filesystem::path& idea_file,
                                   const std::string& remarks,
                                   const std::filesystem::path& playbook);

// program.md as an agent at `root` finds it: the repository's own, or the one that was installed
// with this program; empty where there is neither.
[[nodiscard]] std::filesystem::path find_playbook(const std::filesystem::path& root);

}  // namespace autokernel::loop
