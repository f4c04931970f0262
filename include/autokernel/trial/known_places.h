// Which places (driver::DeviceChoice) this user has named. The record of a run, which may be
// somebody else's, names a host, a cluster or a command: one goes there only where the user has
// said so here before.
#pragma once

#include <string>

namespace autokernel::trial {

// This machine and a judge on it need no word. Throws Error(environment) where that cannot be
// written down.
void remember_place(const std::string& place);
// Throws Error(usage) where nobody has named it here. `device`: as --device has it; empty: any
// there.
void require_known_place(const std::string& place, const std::string& device = {});

}  // namespace autokernel::trial
