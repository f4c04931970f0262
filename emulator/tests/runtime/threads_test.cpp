// Blocks whose threads run by themselves, with functions written in C++.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "runtime/kernel_launch.h"
#include "runtime/lane_rendezvous.h"

namespace emulator::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t kAll = ~0U;

TEST(Meetings, GiveTheLeadToTheLastToArrive) {
  Meetings meetings;
  meetings.reset(3);

  EXPECT_EQ(meetings.arrive({.thread = 0, .kind = 1, .members = kAll, .line = 4}), 0);
  EXPECT_EQ(meetings.arrive({.thread = 2, .kind = 1, .members = kAll, .line = 4}), 0);
  EXPECT_EQ(meetings.arrive({.thread = 1, .kind = 1, .members = kAll, .line = 4}), 0b111);
}

TEST(Meetings, OfDifferentLanesGoOnSideBySide) {
  Meetings meetings;
  meetings.reset(32);

  EXPECT_EQ(meetings.arrive({.thread = 0, .kind = 1, .members = 0b11, .line = 4}), 0);
  EXPECT_EQ(meetings.arrive({.thread = 4, .kind = 1, .members = 0b110000, .line = 4}), 0);
  EXPECT_EQ(meetings.arrive({.thread = 5, .kind = 1, .members = 0b110000, .line = 4}), 0b110000);
  EXPECT_EQ(meetings.arrive({.thread = 1, .kind = 1, .members = 0b11, .line = 4}), 0b11);
}

TEST(Meetings, DoNotWaitForAThreadThatEnds) {
  Meetings meetings;
  meetings.reset(64);
  ASSERT_EQ(meetings.arrive({.thread = 33, .kind = 1, .members = 0b111, .line = 4}), 0);
  ASSERT_EQ(meetings.arrive({.thread = 34, .kind = 1, .members = 0b111, .line = 4}), 0);

  EXPECT_THAT(meetings.thread_ended(32), ElementsAre(33));

  EXPECT_EQ(meetings.take_lead(33), 0b110);
  EXPECT_EQ(meetings.take_lead(34), 0);
}

TEST(Meetings, KnowWhoIsMissing) {
  Meetings meetings;
  meetings.reset(32);
  ASSERT_EQ(meetings.arrive({.thread = 3, .kind = 1, .members = 0b1101, .line = 4}), 0);

  EXPECT_EQ(meetings.wait_of(3).value_or(Meetings::Wait()).missing, 0b101);
  EXPECT_FALSE(meetings.wait_of(0));
}

// A launch of one block of threads, with a counter as its parameter.
class Threads : public testing::Test {
 protected:
  Threads() {
    kernel.launch.unit = Unit::thread;
    kernel.pass(reinterpret_cast<std::uint64_t>(&count));
  }
  KernelLaunch kernel;
  std::atomic<std::uint32_t> count = 0;
};
std::atomic<std::uint32_t>& counter(const WarpContext& context) {
  return *pointer_parameter<std::atomic<std::uint32_t>>(context, 0);
}

TEST_F(Threads, RunEachOnceInEveryBlock) {
  kernel.launch.block = {10, 7, 1};
  kernel.launch.grid = {30, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    counter(*context) += context->tid[0][context->lane] + 10 * context->tid[1][context->lane];
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(count, 30U * (70U * 69U / 2));
}

TEST_F(Threads, OfOneWarpMayReachABarrierAtDifferentPlaces) {
  kernel.launch.block = {48, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    ++counter(*context);
    emu_barrier(context, context->live, 0, 0, context->lane < 5 ? 10 : 20, 0);
    if (counter(*context) < 48) counter(*context) = 1000;
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(count, 48);
}

TEST_F(Threads, FillABarrierOfSomeOfThem) {
  kernel.launch.block = {96, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    if (context->unit >= 32) return emu_barrier(context, context->live, 1, 64, 10, 0);
    ++counter(*context);
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(count, 32);
}

TEST_F(Threads, CountTheirPredicatesAtABarrier) {
  kernel.launch.block = {40, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    const std::uint32_t odd = context->unit % 2 == 1 ? ~0U : 0;
    counter(*context) += emu_barrier_reduce(context, context->live, 0, 0, 7, odd, 0);
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(count, 40 * 20);
}

TEST_F(Threads, ThatWaitAtABarrierForOneThatWaitsElsewhereAreAFault) {
  kernel.launch.block = {33, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    emu_barrier(context, context->live, context->unit == 7 ? 2 : 0, 0, 40 + context->unit, 0);
  });

  EXPECT_EQ(outcome.fault, FaultKind::barrier);
  EXPECT_THAT(outcome.text, HasSubstr("only 32 wait there (thread (0,0,0)"));
  EXPECT_THAT(outcome.text, HasSubstr("thread (7,0,0), which waits at barrier 2 at PTX line 47"));
}

// Sums the operands of the lanes that meet.
void sum_together(WarpContext* context, std::uint32_t members) {
  context->own->operand[0] = context->lane + 1;
  const std::uint32_t lanes = emu_meet(context, 3, members, 1, 12);
  if (lanes != 0) {
    std::uint64_t sum = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if (((lanes >> lane) & 1U) != 0) sum += context->gathering->operand[0][lane];
    }
    for (auto& result : context->gathering->result[0]) result = sum;
    emu_deal(context, lanes, 1);
  }
  counter(*context) += static_cast<std::uint32_t>(context->own->result[0]);
}

TEST_F(Threads, GiveTheirOperandsToTheOneThatLeads) {
  kernel.launch.block = {64, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) { sum_together(context, kAll); });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(count, 64U * (32 * 33 / 2));
}

TEST_F(Threads, MeetWithoutThoseThatHaveEnded) {
  kernel.launch.block = {32, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    if (context->lane >= 30) return;
    sum_together(context, kAll);
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(count, 30U * (30 * 31 / 2));
}

TEST_F(Threads, ThatWaitForALaneThatNeverComesAreAFault) {
  kernel.launch.block = {32, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    if (context->lane == 9) return emu_barrier(context, context->live, 0, 0, 33, 0);
    sum_together(context, kAll);
  });

  EXPECT_EQ(outcome.fault, FaultKind::barrier);
  EXPECT_THAT(outcome.text, HasSubstr("thread (0,0,0) of block (0,0,0) waits at PTX line 12"));
  EXPECT_THAT(outcome.text, HasSubstr("thread (9,0,0), which waits at barrier 0 at PTX line 33"));
}

TEST_F(Threads, ThatMeetWithoutNamingThemselvesAreAFault) {
  kernel.launch.block = {32, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) { sum_together(context, 0b1); });

  EXPECT_EQ(outcome.fault, FaultKind::bad_instruction);
  EXPECT_THAT(outcome.text, HasSubstr("mask leaves out the lane that runs it"));
}

TEST_F(Threads, BeginFromTheLastWhereTheLaunchSaysSo) {
  kernel.launch.block = {64, 1, 1};
  kernel.launch.order = UnitOrder::descending;

  const auto outcome = kernel.run([](WarpContext* context) {
    if (counter(*context) == 63 - linear_thread(*context, context->lane)) ++counter(*context);
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(count, 64);
}

TEST_F(Threads, OfOneWarpWaitForEachOtherInLoops) {
  kernel.launch.block = {32, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    while (counter(*context) != 31 - context->lane) emu_yield(context);
    ++counter(*context);
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(count, 32);
}

}  // namespace
}  // namespace emulator::runtime
