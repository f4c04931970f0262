// Runners that are ready before anybody waits for them: a small process of the user's own keeps
// them, with a device opened and a library loaded, each for one trial. It is started on demand, and
// ends when nobody has asked for a while.
#pragma once

#include <cstdint>

#include "autokernel/base/descriptor.h"
#include "autokernel/trial/supervisor.h"

namespace autokernel::trial {

// How long it stays where nobody asks, seconds; 0: there is to be none. By the variable
// AUTOKERNEL_RESIDENT. Throws Error(usage) where that is no such number.
[[nodiscard]] int resident_seconds();

// Whether the resident process is started where there is none.
enum class Starting : std::uint8_t { allowed, forbidden };
// Asks for a runner that is ready for a trial such as this one, and comes back at once. Its
// candidate and its incumbent are compiled beforehand; others may come instead. Nothing happens
// where that is not wanted, or not possible.
void get_runner_ready(const Request& expected, Starting starting = Starting::allowed);

// The resident process itself, from its first connection on. Returns the exit code.
[[nodiscard]] int run_resident(Descriptor first_connection);

}  // namespace autokernel::trial
