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

// What is left to a process that is confined to folders. A path that does not exist is left out.
struct FolderRules {
  std::span<const std::filesystem::path> readable;      // to read and run what is below
  const std::filesystem::path& own;                     // to change what is below
  std::span<const std::filesystem::path> devices = {};  // to read, write and control (ioctl)
  bool has_network = false;  // TCP and abstract sockets, which the kernel takes away else
  std::uint16_t port = 0;    // of TCP, to listen on, where it has no network; 0: none
};
// From now on this process, of one thread, and every program it starts, has what the rules leave
// and, where the kernel knows of it, no signals of processes that are not confined with it. What is
// open stays open. False, and nothing is given up, where the kernel has no Landlock. Throws
// Error(environment) where it has but does not let us.
[[nodiscard]] bool confine_to_folders(const FolderRules& rules);

// Whether the kernel keeps a process that is confined to folders from signalling others.
[[nodiscard]] bool confines_signals();

// Whether the kernel has it.
[[nodiscard]] bool has_landlock();

}  // namespace autokernel
