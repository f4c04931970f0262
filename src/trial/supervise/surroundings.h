// What a process hands down to those it starts, beside its variables: a runner that somebody else
// has started is of use only where all of it is the same.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace autokernel::trial {

// Of that process's program file, user, priority and processors, limits, capabilities, control
// group and namespaces: 64 hexadecimal digits. Of one that may not be looked at, that of nothing
// known.
[[nodiscard]] std::string digest_of_surroundings(pid_t process);

// Whether that process runs this very program: the same file, or one of the same content.
[[nodiscard]] bool runs_our_program(pid_t process);
// All that do, that run trials or wait for one (runners and launchers), and that may use a GPU.
[[nodiscard]] std::vector<pid_t> our_runners();
// Whether the file that we run is no longer the one at its path: there was an upgrade.
[[nodiscard]] bool our_program_was_replaced();

}  // namespace autokernel::trial
