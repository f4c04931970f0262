// seccomp, with Landlock behind it: a process gives up most of what it could ask of the system, for
// good.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "autokernel/base/descriptor.h"

namespace autokernel {

// What a process that gives up the rest goes on doing, with all its threads. Memory, threads,
// clocks, and what it has open stay.
enum class Sandbox : std::uint8_t {
  computing,      // nothing else: whatever is not on a list of calls is refused
  driving_a_gpu,  // a driver's calls on the devices it has open: what is on a list is refused
};

// From now on no thread of this process starts a program or a process, opens or changes a file, has
// a network, or reaches another process: the calls fail with EPERM, and those that are younger than
// the list with ENOSYS. Throws Error(environment) where the system has no seccomp.
void enter_sandbox(Sandbox sandbox);

// The same for a compiler that is somebody else's and is about to be started in this process's
// place: it may start programs and use files, as confine_to_folders() (landlock.h) has it. It has
// no network, and no way to other processes than those it starts.
void confine_compiler(std::span<const std::filesystem::path> readable,
                      const std::filesystem::path& own);

// Whether a process has ways to others through a network: none, all, or as a server of TCP on one
// port, which connects to nobody (where the kernel can tell, Linux 6.7).
struct Network {
  enum class Kind : std::uint8_t { none, any, serving };
  Kind kind = Kind::none;
  std::uint16_t port = 0;
};

// The same for a command that is somebody else's, and builds or runs programs of its own: it may
// also have sessions and process groups, and signal its own processes where the kernel tells them
// from others (Linux 6.12). Calls for the modes and times of files wait on the descriptor that is
// returned until they are answered (file_modes.h). It may use the devices. Of a process of one
// thread.
[[nodiscard]] Descriptor confine_command(std::span<const std::filesystem::path> readable,
                                         const std::filesystem::path& own, const Network& network,
                                         std::span<const std::filesystem::path> devices = {});

}  // namespace autokernel
