// program.md for a case: what an agent has to know to make a kernel of it faster.
#pragma once

#include <string>

#include "autokernel/cases/case.h"

namespace autokernel::cli {

// The first line of every program.md that is made for a case begins with this.
inline constexpr const char* kProgramMark = "<!-- made by autokernel";

// `folder` is where the case lies, as it is typed from where the program will be run: "kernels".
// The parts that hold for every case are those of the program.md of autokernel's own sources; the
// rest is the case's: its tensors and sizes, what is right, and the playbook for what bounds it.
// Of a case of commands: its commands, its metric, and how the loop is used.
[[nodiscard]] std::string program_text(const cases::Case& problem, const std::string& folder);

// The section of AGENTS.md that leads there, without the lines that mark it.
[[nodiscard]] std::string agents_text(const std::string& folder, const std::string& kernel_name);

}  // namespace autokernel::cli
