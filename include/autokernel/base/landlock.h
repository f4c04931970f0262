// Landlock: a thread gives up access to files, and to more where the kernel knows how, for good.
// Linux 5.13 and later, where it is switched on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace autokernel {

// From now on this thread, and every thread and process it starts, can open files only to read, and
// only below `readable`; a path that does not exist is left out. What is open stays open. False,
// and nothing is given up, where the kernel has no Landlock. Throws Error(environment) where it has
// but does not let us.
[[nodiscard]] bool confine_thread_to_reading(std::span<const std::filesystem::path> readable);

// From now on this thread, and every thread and process it starts, opens no file and changes none,
// and, where the kernel knows of it, has no TCP (Linux 6.7), no abstract sockets and signals of
// other processes (6.12), and neither has any other thread of this process (7.0). What is open
// stays open. False, and nothing is given up, where the kernel has no Landlock. Throws
// Error(environment) where it has but does not let us.
[[nodiscard]] bool confine_to_what_is_open();

// From now on this process, of one thread, and every program it starts, reads and runs only what is
// below `readable`, changes only what is below `own`, and, where the kernel knows of it, has no
// TCP, no abstract sockets and no signals of processes that are not confined with it. What is open
// stays open. False, and nothing is given up, where the kernel has no Landlock. Throws
// Error(environment) where it has but does not let us.
[[nodiscard]] bool confine_to_folders(std::span<const std::filesystem::path> readable,
                                      const std::filesystem::path& own);

// The same but for TCP and abstract sockets, which stay.
[[nodiscard]] bool confine_to_folders_with_network(std::span<const std::filesystem::path> readable,
                                                   const std::filesystem::path& own);
// The same as the first, but it may listen on that port of TCP.
[[nodiscard]] bool confine_to_folders_serving(std::span<const std::filesystem::path> readable,
                                              const std::filesystem::path& own, std::uint16_t port);

// Whether the kernel keeps a process that is confined to folders from signalling others.
[[nodiscard]] bool confines_signals();

// Whether the kernel has it.
[[nodiscard]] bool has_landlock();

}  // namespace autokernel
