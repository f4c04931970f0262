// The signals by which a user or a system asks the program to stop, as something a loop can wait
// for, so that what it started is taken down in order.
#pragma once

#include <csignal>
#include <exception>
#include <optional>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/owned.h"

namespace autokernel {

// The user asked to stop. Caught in main alone, after everything on the way has cleaned up.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) : signal_(signal) {}
  [[nodiscard]] int signal() const noexcept { return signal_; }
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }

 private:
  int signal_;
};

// While it lives, SIGINT, SIGTERM and SIGHUP do not end the program but make descriptor() readable.
// A signal that the program was started with ignored (nohup) stays ignored. Only the calling thread
// is covered: make it before others.
class Interrupts {
 public:
  // Throws Error(environment).
  Interrupts();

  [[nodiscard]] int descriptor() const noexcept { return queue_.get(); }
  // The signal that has come, if one has; does not wait.
  [[nodiscard]] std::optional<int> next() const;
  struct Signal {
    int number = 0;
    bool is_of_process = false;  // by kill(); a terminal's keys are the kernel's own
  };
  [[nodiscard]] std::optional<Signal> next_signal() const;

 private:
  struct Mask {
    sigset_t signals{};
    bool changed = false;
    friend bool operator==(const Mask& a, const Mask& b) { return a.changed == b.changed; }
  };
  Owned<Mask> previous_;
  Descriptor queue_;
};

// Ends this program by the signal, as if it had never been caught: the shell sees 128 + signal
// (130, 143) and stops a script at Ctrl-C, which it would not do for an exit code.
[[noreturn]] void end_by(int signal);

}  // namespace autokernel
