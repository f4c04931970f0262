#include "runtime/fiber.h"

#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__)
#define EMULATOR_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMULATOR_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define EMULATOR_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define EMULATOR_TSAN 1
#endif
#endif

#ifdef EMULATOR_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef EMULATOR_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace emulator::runtime {
namespace {

namespace fcontext = boost::context::detail;

// One frame of a compiled kernel can be larger than a page; the guard has to be larger than any
// frame.
constexpr std::size_t kStackGuardBytes = std::size_t{1} << 20;
// Stacks begin at different places of a page: where all begin at the same one, the frames of the 32
// warps of a block compete for the same few lines of the first-level cache (a sixth of the cost of
// a barrier).
constexpr std::size_t kColours = 16;
constexpr std::size_t kColourBytes = 256;

}  // namespace

struct FiberStart {
  static void enter(fcontext::transfer_t transfer) {
    Fiber& self = *static_cast<Fiber*>(transfer.data)->destination_;
    Fiber::arrive(transfer.fctx, transfer.data, self);
    self.body_(self.argument_);
    std::abort();  // a body that returns has nowhere to go
  }
};

Fiber::Fiber() {
#ifdef EMULATOR_TSAN
  thread_sanitizer_ = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(Body body, void* argument, std::size_t stack_bytes)
    : body_(body), argument_(argument), stack_(stack_bytes, kStackGuardBytes) {
  stack_bottom_ = stack_.data();
  stack_bytes_ = stack_.size();
  restart();
}

Fiber::~Fiber() {
#ifdef EMULATOR_TSAN
  if (body_ != nullptr) __tsan_destroy_fiber(thread_sanitizer_);
#endif
#ifdef EMULATOR_ASAN
  if (body_ != nullptr) __asan_unpoison_memory_region(stack_.data(), stack_.size());
#endif
}

void Fiber::restart() {
#ifdef EMULATOR_ASAN
  __asan_unpoison_memory_region(stack_.data(), stack_.size());
  fake_stack_ = nullptr;
#endif
#ifdef EMULATOR_TSAN
  // The frames that are forgotten would otherwise stay on the sanitizer's own stack.
  if (thread_sanitizer_ != nullptr) __tsan_destroy_fiber(thread_sanitizer_);
  thread_sanitizer_ = __tsan_create_fiber(0);
#endif
  const std::size_t page = reinterpret_cast<std::uintptr_t>(stack_.data()) / stack_.span();
  const std::size_t usable = stack_.size() - page % kColours * kColourBytes;
  context_ = fcontext::make_fcontext(stack_.data() + usable, usable, FiberStart::enter);
}

void Fiber::arrive(void* context, void* from, Fiber& to) {
  auto& left = *static_cast<Fiber*>(from);
  left.context_ = context;
#ifdef EMULATOR_ASAN
  // The first arrival from a thread's own stack is also how its bounds are learnt.
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(to.fake_stack_, &bottom, &bytes);
  if (left.body_ == nullptr) {
    left.stack_bottom_ = bottom;
    left.stack_bytes_ = bytes;
  }
#else
  (void)to;
#endif
}

void Fiber::switch_to(Fiber& from, Fiber& to) {
  from.destination_ = &to;
#ifdef EMULATOR_ASAN
  __sanitizer_start_switch_fiber(&from.fake_stack_, to.stack_bottom_, to.stack_bytes_);
#endif
#ifdef EMULATOR_TSAN
  __tsan_switch_to_fiber(to.thread_sanitizer_, 0);
#endif
  const fcontext::transfer_t transfer = fcontext::jump_fcontext(to.context_, &from);
  arrive(transfer.fctx, transfer.data, from);
}

void Fiber::leave(Fiber& from, Fiber& to) {
  from.destination_ = &to;
#ifdef EMULATOR_ASAN
  __sanitizer_start_switch_fiber(nullptr, to.stack_bottom_, to.stack_bytes_);
#endif
#ifdef EMULATOR_TSAN
  __tsan_switch_to_fiber(to.thread_sanitizer_, 0);
#endif
  fcontext::jump_fcontext(to.context_, &from);
  std::abort();  // nobody switches to a fiber that has left
}

}  // namespace emulator::runtime
