// A user's own program, run in the place of ours: with our input and output, in our terminal.
#pragma once

#include <cstdint>

#include "autokernel/base/process.h"

namespace autokernel {

// Where the program's standard output goes.
enum class Prints : std::uint8_t { to_output, to_error };

// Runs it to its end. It stays in our process group, so that Ctrl-C reaches it as if it ran alone;
// meanwhile we leave a terminal's SIGINT and SIGQUIT to it, and hand on SIGTERM, SIGHUP, and a
// SIGINT that a process has sent us. It is asked to end (SIGTERM) when we are killed. Throws
// Error(usage) where it cannot be started.
[[nodiscard]] Ending run_in_foreground(const Command& command, Prints prints);

}  // namespace autokernel
