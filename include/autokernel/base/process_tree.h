// Every process that descends from us, found through /proc: what they hold in memory, and their
// end, including those that left their parent's group or outlived their parent.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <vector>

#include "autokernel/base/owned.h"

namespace autokernel {

// How long a killed process may take to become ours and go: longer only where it hangs in the
// kernel, and then waiting would hang us too.
inline constexpr std::chrono::seconds kLongestEnd{5};

// Processes whose parent is `parent`.
[[nodiscard]] std::vector<pid_t> children_of(pid_t parent);
// 0 for one that is gone, or has none.
[[nodiscard]] pid_t parent_of(pid_t process);
// Whether it is there and has not ended: one that has is listed until its parent takes note.
[[nodiscard]] bool is_alive(pid_t process);
// Bytes of memory that a process holds, those that were swapped out and the kernel's own for it
// among them; 0 for one that is gone.
[[nodiscard]] std::uint64_t held_bytes(pid_t process);
// Seconds of processor time that a process and its threads have used; 0 for one that is gone.
[[nodiscard]] double processor_seconds(pid_t process);

// The descendants we get while it lives; those left when it goes are killed. Orphans among them
// become our children instead of init's, so none escapes by a new session or a dying parent. One at
// a time, and no other part of the program starts processes meanwhile: they would be counted, and
// killed, too.
class ProcessTree {
 public:
  // Throws Error(environment).
  ProcessTree();

  // Counts a process that is another one's child, and its descendants, among the members. Whoever
  // started it sees to its end.
  void add_guest(pid_t process) { guest_ = process; }

  // Stops all members (SIGSTOP), which are none any more until they are resumed.
  [[nodiscard]] std::vector<pid_t> pause();
  // Has them go on, and be members again.
  void resume(const std::vector<pid_t>& paused);
  // Those that are paused are members again, though they stand still: whoever kills all kills them.
  void take_back() { aside_.clear(); }

  // A child that is ending by itself and somebody else's to wait for: no member any more. What it
  // leaves behind comes to us even when the tree has gone.
  void spare(pid_t child);

  [[nodiscard]] std::vector<pid_t> members() const;
  [[nodiscard]] std::uint64_t held_bytes() const;
  // Of those that live.
  [[nodiscard]] double processor_seconds() const;
  // Kills and reaps all members but a guest; returns how many there were. A Child that is owned
  // elsewhere has been reaped before.
  [[nodiscard]] int kill_all() const;

 private:
  // Children we had before, none of our business, and whether orphans went to us already then.
  struct Before {
    std::set<pid_t> children;
    bool adopting = false;
    bool known = false;
    friend bool operator==(const Before& a, const Before& b) { return a.known == b.known; }
  };
  // Kills those that we did not have before, and is as we were then.
  static void end(const Before& before);

  Owned<Before> before_;
  // Children that are none of the members'.
  [[nodiscard]] std::set<pid_t> strangers() const;

  pid_t guest_ = 0;        // 0: none
  std::set<pid_t> aside_;  // children of ours that are paused
};

}  // namespace autokernel
