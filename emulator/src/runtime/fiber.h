// A fiber: a stack of its own that a thread can switch to and from in a few nanoseconds. Warps that
// wait at a barrier rest on one. Fibers never leave the thread that made them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/reservation.h"

namespace emulator::runtime {

class Fiber {
 public:
  // Runs on the fiber's stack; must not return and must not let an exception out.
  using Body = void (*)(void*);

  // Whole warps keep 32 values in each variable, and what does not fit the registers lies on this
  // stack: a kernel with 2000 live values needs 256 KB. Pages that are never touched cost nothing.
  static constexpr std::size_t kStackBytes = std::size_t{2} << 20;

  // Stands for the stack the thread runs on already.
  Fiber();
  // A fresh stack that begins with body(argument) at the first switch to it.
  Fiber(Body body, void* argument, std::size_t stack_bytes = kStackBytes);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  // Leaves `from`, which is running, and goes on in `to`. Comes back when somebody switches to
  // `from`.
  static void switch_to(Fiber& from, Fiber& to);
  // The same, but `from` is never gone back to. What its frames own is not destroyed.
  [[noreturn]] static void leave(Fiber& from, Fiber& to);
  // Forgets what the fiber was doing: the next switch begins with its body again. Not for the
  // running one.
  void restart();
  // The lowest address of the stack.
  [[nodiscard]] const std::uint8_t* stack_bottom() const { return stack_.data(); }

 private:
  static void arrive(void* context, void* from, Fiber& to);
  friend struct FiberStart;

  Body body_ = nullptr;
  void* argument_ = nullptr;
  Reservation stack_;
  void* context_ = nullptr;       // where to go on
  Fiber* destination_ = nullptr;  // of the switch under way
  void* fake_stack_ = nullptr;    // AddressSanitizer's
  const void* stack_bottom_ = nullptr;
  std::size_t stack_bytes_ = 0;
  void* thread_sanitizer_ = nullptr;
};

}  // namespace emulator::runtime
