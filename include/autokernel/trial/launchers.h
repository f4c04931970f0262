// Which launchers this user has named. A launcher is any command, and the record of a run, which
// may be somebody else's, names one: it is run only where the user has said it here before.
#pragma once

#include <string>

namespace autokernel::trial {

// Throws Error(environment) where that cannot be written down.
void remember_launcher(const std::string& command);
// Throws Error(usage) where nobody has named it here.
void require_known_launcher(const std::string& command);

}  // namespace autokernel::trial
