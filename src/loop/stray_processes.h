// What an agent's turn leaves running when the drive is killed in the middle of it: nobody's
// children any more, they go on editing and computing, and the next command ends them.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace autokernel::loop {

// To be called before the agent is started; what to add to its environment, by which its processes
// are known. Throws Error(environment) where that cannot be written down.
[[nodiscard]] std::map<std::string, std::string> begin_turn(
    const std::filesystem::path& git_folder);
// Whether a turn has begun and not ended: it is under way, or its drive was killed.
[[nodiscard]] bool is_turn_recorded(const std::filesystem::path& git_folder);
// When all of its processes have ended.
void end_turn(const std::filesystem::path& git_folder);

// Ends what a turn that never came to its end has left, and says so in a sentence; empty: nothing
// was left. To be called by the holder of the lock.
[[nodiscard]] std::string end_stray_processes(const std::filesystem::path& git_folder);

}  // namespace autokernel::loop
