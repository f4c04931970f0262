// An edit of an agent's that could not be measured, for want of the device or the disk: its idea is
// written down, and the next drive measures it before the agent gets another turn.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace autokernel::loop {

// `kernel` is the editable file that holds the edit. That it cannot be written down is no error:
// the machine is in trouble already.
void note_unmeasured(const std::filesystem::path& note, const std::filesystem::path& kernel,
                     const std::string& idea);
// The idea, where the file is still as it was noted; the note is removed.
[[nodiscard]] std::optional<std::string> take_unmeasured(const std::filesystem::path& note,
                                                         const std::filesystem::path& kernel);
[[nodiscard]] bool is_unmeasured(const std::filesystem::path& note);

}  // namespace autokernel::loop
