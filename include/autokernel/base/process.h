// A child process in a session of its own, with channels to talk to it, and the certainty that it
// is gone afterwards.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/environment.h"
#include "autokernel/base/owned.h"

namespace autokernel {

// Which of our own variables a child is given.
enum class Inherits : std::uint8_t { everything, nothing };

struct Command {
  std::filesystem::path program;       // a path; the PATH is not searched
  std::vector<std::string> arguments;  // after the program's own name
  Variables environment;               // set on top of what it inherits
  Inherits inherits = Inherits::everything;
  const Descriptor* shared = nullptr;    // where not null, the child's descriptor kSharedDescriptor
  std::filesystem::path directory = {};  // which it works in; empty: ours
};

// How a process ended: by itself with a code, or by a signal.
struct Ending {
  int code = 0;
  int signal = 0;  // 0: by itself
};

// The descriptor on which a child writes what must not mix with its prints; its input is descriptor
// 0 and its output (1 and 2 together) is what it prints.
inline constexpr int kMessagesDescriptor = 3;
inline constexpr int kSharedDescriptor = 4;

// A running child. It leads its own session and process group, so that a terminal's Ctrl-C goes to
// us alone and one kill reaches the whole group; it leaves no core file; and the system kills it
// when the thread that started it ends. When its owner goes, the group is killed and the child
// reaped.
class Child {
 public:
  // Throws Error(environment) naming the program where it cannot be started.
  [[nodiscard]] static Child start(const Command& command);

  [[nodiscard]] pid_t id() const noexcept { return id_; }
  // Our ends: `input` is both readable and writable, the others are to be read. All are
  // non-blocking.
  [[nodiscard]] Descriptor& input() noexcept { return input_; }
  [[nodiscard]] Descriptor& output() noexcept { return output_; }
  [[nodiscard]] Descriptor& messages() noexcept { return messages_; }

  // How it ended, once it has; waits until `deadline` for that. The group is killed in any case
  // once it has ended.
  [[nodiscard]] std::optional<Ending> wait_until(std::chrono::steady_clock::time_point deadline);
  // Kills the whole group at once (SIGKILL) and waits for the child's end.
  Ending kill();
  // The same, but waits no longer than that: a child that a driver holds in the kernel cannot be
  // killed, and whoever asks about drivers must not hang with it. None: it is still there, killed
  // as soon as it returns from the kernel, and nobody's any more.
  std::optional<Ending> kill_within(std::chrono::milliseconds patience);

 private:
  pid_t id_ = 0;
  Owned<pid_t> unreaped_;
  Descriptor input_;
  Descriptor output_;
  Descriptor messages_;
  std::optional<Ending> ending_;
};

// Starts a program that is nobody's child: in a session of its own, in the root folder, with
// `input` as its standard input and nothing else of ours open. Throws Error(environment) where
// there is no room for another process; of a program that does not start nothing is said.
void start_detached(const Command& command, const Descriptor& input);

}  // namespace autokernel
