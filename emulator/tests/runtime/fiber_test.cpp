#include "runtime/fiber.h"

#include <gtest/gtest.h>

#include <string>

namespace emulator::runtime {
namespace {

struct Conversation {
  Fiber thread;
  Fiber* fiber = nullptr;
  std::string said;
};

TEST(Fiber, GoesOnWhereItLeftOff) {
  Conversation talk;
  Fiber fiber(
      [](void* argument) {
        auto& self = *static_cast<Conversation*>(argument);
        self.said += "a";
        Fiber::switch_to(*self.fiber, self.thread);
        self.said += "c";
        Fiber::leave(*self.fiber, self.thread);
      },
      &talk);
  talk.fiber = &fiber;

  Fiber::switch_to(talk.thread, fiber);
  talk.said += "b";
  Fiber::switch_to(talk.thread, fiber);

  EXPECT_EQ(talk.said, "abc");
}

TEST(Fiber, BeginsAgainAfterARestart) {
  Conversation talk;
  Fiber fiber(
      [](void* argument) {
        auto& self = *static_cast<Conversation*>(argument);
        self.said += "a";
        Fiber::leave(*self.fiber, self.thread);
      },
      &talk);
  talk.fiber = &fiber;

  Fiber::switch_to(talk.thread, fiber);
  fiber.restart();
  Fiber::switch_to(talk.thread, fiber);

  EXPECT_EQ(talk.said, "aa");
}

TEST(Fiber, OwnsAStackLargeEnoughForAWideKernel) {
  Conversation talk;
  Fiber fiber(
      [](void* argument) {
        auto& self = *static_cast<Conversation*>(argument);
        volatile char frame[512 * 1024];
        for (std::size_t i = 0; i < sizeof frame; i += 4096) frame[i] = 1;
        self.said += frame[4096] == 1 ? "deep" : "";
        Fiber::leave(*self.fiber, self.thread);
      },
      &talk);
  talk.fiber = &fiber;

  Fiber::switch_to(talk.thread, fiber);

  EXPECT_EQ(talk.said, "deep");
}

}  // namespace
}  // namespace emulator::runtime
