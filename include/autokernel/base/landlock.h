// Landlock: a thread gives up access to files, for good. Linux 5.13 and later, where it is switched
// on.
#pragma once

#include <filesystem>
#include <span>

namespace autokernel {

// From now on this thread, and every thread and process it starts, can open files only to read, and
// only below `readable`; a path that does not exist is left out. What is open stays open. False,
// and nothing is given up, where the kernel has no Landlock. Throws Error(environment) where it has
// but does not let us.
[[nodiscard]] bool confine_thread_to_reading(std::span<const std::filesystem::path> readable);

// Whether the kernel has it.
[[nodiscard]] bool has_landlock();

}  // namespace autokernel
