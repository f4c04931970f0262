// What a test left behind: processes and files.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace autokernel::test {

// Every process, however it was started, in whose environment or working folder `marker` occurs,
// this one excepted.
[[nodiscard]] std::vector<pid_t> processes_marked(const std::string& marker);
// That one of them whose name, as the system lists it, begins so; 0 where there is none.
[[nodiscard]] pid_t process_named(const std::string& name, const std::string& marker);
// Sends it that signal; false where there is no such process. To kill(2), 0 and less name whole
// groups of processes, the one that runs all tests among them.
[[nodiscard]] bool signal_process(pid_t process, int signal);
// The first once none is left, or after two seconds: a process that was killed takes a moment to
// go.
[[nodiscard]] std::vector<pid_t> processes_still_marked(const std::string& marker);

// Every file and folder below `folder`, relative to it, sorted.
[[nodiscard]] std::vector<std::string> files_below(const std::filesystem::path& folder);

}  // namespace autokernel::test
