// Processes found by a variable that they inherited, whoever their parent is by now: the way in
// which build servers find what a job has left running. One that cleared its environment, or is
// another user's, is not found.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace autokernel {

// Every process that was started with that in its environment: "NAME=value".
[[nodiscard]] std::vector<pid_t> processes_with(const std::string& variable);

struct EndedProcesses {
  int ended = 0;
  // That are left: those that this process descends from, as it would end with them, and those that
  // hang in the kernel.
  std::vector<pid_t> left;
};
// Kills them, this process and those that it descends from left out.
[[nodiscard]] EndedProcesses kill_processes_with(const std::string& variable);

}  // namespace autokernel
