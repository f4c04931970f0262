#include "runtime/barrier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "runtime/kernel_launch.h"

namespace emulator::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using enum Barriers::Outcome;

Arrival sync(std::uint32_t warp, std::uint32_t id = 0, std::uint32_t threads = 0) {
  return {warp, id, threads, 10 + warp, BarrierWait::sync};
}

TEST(Barriers, LetEverybodyGoWhenTheLastWarpArrives) {
  Barriers barriers;
  barriers.reset(3);

  EXPECT_EQ(barriers.arrive(sync(0)), waits);
  EXPECT_EQ(barriers.arrive(sync(2)), waits);
  EXPECT_EQ(barriers.arrive(sync(1)), passes);
  EXPECT_THAT(barriers.released(), ElementsAre(0, 2));
}

TEST(Barriers, DoNotWaitForWarpsThatHaveEnded) {
  Barriers barriers;
  barriers.reset(2);
  ASSERT_EQ(barriers.arrive(sync(0)), waits);

  barriers.unit_ended(1);

  EXPECT_THAT(barriers.released(), ElementsAre(0));
}

TEST(Barriers, OfFewerThreadsFillWithoutTheRest) {
  Barriers barriers;
  barriers.reset(4);

  EXPECT_EQ(barriers.arrive(sync(0, 1, 64)), waits);
  EXPECT_EQ(barriers.arrive(sync(3, 1, 64)), passes);
  EXPECT_THAT(barriers.released(), ElementsAre(0));
}

TEST(Barriers, CanBeArrivedAtWithoutWaiting) {
  Barriers barriers;
  barriers.reset(2);

  EXPECT_EQ(barriers.arrive({0, 1, 64, 10, BarrierWait::arrive}), passes);
  EXPECT_EQ(barriers.arrive(sync(1, 1, 64)), passes);
}

TEST(Barriers, CanBeUsedAgain) {
  Barriers barriers;
  barriers.reset(2);
  ASSERT_EQ(barriers.arrive(sync(0)), waits);
  ASSERT_EQ(barriers.arrive(sync(1)), passes);
  barriers.forget_released();

  EXPECT_EQ(barriers.arrive(sync(1)), waits);
  EXPECT_EQ(barriers.arrive(sync(0)), passes);
}

TEST(Barriers, CountPredicatesOverAllWarps) {
  Barriers barriers;
  barriers.reset(2);
  ASSERT_EQ(barriers.arrive({0, 0, 0, 10, BarrierWait::sync, Reduction::popc, ~0U, 0xfU}), waits);
  ASSERT_EQ(barriers.arrive({1, 0, 0, 10, BarrierWait::sync, Reduction::popc, ~0U, 0x3U}), passes);

  EXPECT_EQ(barriers.result(0), 6);
  EXPECT_EQ(barriers.result(1), 6);
}

TEST(Barriers, AndIsFalseWhenOneThreadSaysNo) {
  Barriers barriers;
  barriers.reset(2);
  ASSERT_EQ(barriers.arrive({0, 0, 0, 10, BarrierWait::sync, Reduction::and_, ~0U, ~0U}), waits);
  ASSERT_EQ(barriers.arrive({1, 0, 0, 10, BarrierWait::sync, Reduction::and_, ~0U, ~1U}), passes);

  EXPECT_EQ(barriers.result(0), 0);
}

TEST(Barriers, RefuseThreadCountsThatDisagree) {
  Barriers barriers;
  barriers.reset(4);
  ASSERT_EQ(barriers.arrive(sync(0, 1, 64)), waits);

  EXPECT_EQ(barriers.arrive(sync(1, 1, 96)), refused);
  EXPECT_THAT(barriers.refusal(), HasSubstr("line 10"));
}

TEST(Barriers, RefuseNumbersThatDoNotExist) {
  Barriers barriers;
  barriers.reset(1);

  EXPECT_EQ(barriers.arrive(sync(0, 16)), refused);
}

std::atomic<std::uint32_t>& counter(const WarpContext& context) {
  return *pointer_parameter<std::atomic<std::uint32_t>>(context, 0);
}

TEST(BlockBarrier, SeparatesWhatWarpsDoBeforeFromWhatTheyDoAfter) {
  KernelLaunch kernel;
  std::atomic<std::uint32_t> wrong = 0;
  kernel.pass(reinterpret_cast<std::uint64_t>(&wrong));
  kernel.launch.block = {256, 1, 1};
  kernel.launch.grid = {50, 1, 1};
  kernel.launch.shared_bytes = 8 * sizeof(std::uint32_t);

  const auto outcome = kernel.run([](WarpContext* context) {
    auto* seen = reinterpret_cast<std::uint32_t*>(context->shared);
    auto& errors = counter(*context);
    for (std::uint32_t round = 0; round < 20; ++round) {
      seen[context->warp] = round;
      emu_barrier(context, context->live, 0, 0, 7, 0);
      for (unsigned w = 0; w < 8; ++w) errors += seen[w] != round ? 1 : 0;
      emu_barrier(context, context->live, 0, 0, 9, 0);
    }
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(wrong, 0);
}

TEST(BlockBarrier, GivesTheReductionToEveryWarp) {
  KernelLaunch kernel;
  std::atomic<std::uint32_t> sum = 0;
  kernel.pass(reinterpret_cast<std::uint64_t>(&sum));
  kernel.launch.block = {128, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    const std::uint32_t count =
        emu_barrier_reduce(context, context->live, 0, 0, 7, 1U << context->warp, 0);
    counter(*context) += count;
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(sum, 16);
}

TEST(BlockBarrier, FillsWithoutWarpsThatReturnedEarly) {
  KernelLaunch kernel;
  kernel.launch.block = {128, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    if (context->warp == 2) return;
    emu_barrier(context, context->live, 0, 0, 7, 0);
  });

  EXPECT_EQ(outcome.text, "none");
}

TEST(BlockBarrier, ThatCannotFillIsAFaultThatNamesBothSidesAndAMissingThread) {
  KernelLaunch kernel;
  kernel.launch.block = {64, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    emu_barrier(context, context->live, context->warp, 0, 40 + context->warp, 0);
  });

  EXPECT_EQ(outcome.fault, FaultKind::barrier);
  EXPECT_THAT(outcome.text, HasSubstr("barrier 0 can never fill"));
  EXPECT_THAT(outcome.text, HasSubstr("PTX line 40"));
  EXPECT_THAT(outcome.text, HasSubstr("thread (32,0,0), which waits at barrier 1 at PTX line 41"));
}

TEST(BlockBarrier, ThatWaitsForAThreadThatHasEndedIsAFault) {
  KernelLaunch kernel;
  kernel.launch.block = {64, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    if (context->warp == 1) return;
    emu_barrier(context, context->live, 3, 64, 40, 0);
  });

  EXPECT_THAT(outcome.text, HasSubstr("thread (32,0,0), which has ended"));
}

TEST(BlockBarrier, ReachedByAPartOfAWarpIsAFault) {
  KernelLaunch kernel;
  kernel.launch.block = {32, 2, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    emu_barrier(context, context->warp == 1 ? context->live & 0xffffU : context->live, 0, 0, 12, 0);
  });

  EXPECT_EQ(outcome.fault, FaultKind::barrier);
  EXPECT_THAT(outcome.text, HasSubstr("divergent barrier 0 at PTX line 12"));
  EXPECT_THAT(outcome.text, HasSubstr("lanes 0-15 of warp 1"));
  EXPECT_THAT(outcome.text, HasSubstr("thread (16,1,0)"));
}

TEST(BlockBarrier, IsReachedByTheWholeWarpWhenTheOtherLanesHaveExited) {
  KernelLaunch kernel;
  kernel.launch.block = {64, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    context->live &= 0xfU;
    emu_barrier(context, 0xfU, 0, 0, 12, 0);
  });

  EXPECT_EQ(outcome.text, "none");
}

TEST(BlockBarrier, WorksAgainInTheLaunchAfterADeadlock) {
  KernelLaunch kernel;
  kernel.launch.block = {64, 1, 1};
  const auto deadlock = kernel.run(
      [](WarpContext* context) { emu_barrier(context, context->live, context->warp, 0, 1, 0); });
  ASSERT_EQ(deadlock.fault, FaultKind::barrier);

  const auto outcome = kernel.run([](WarpContext* context) {
    emu_barrier(context, context->live, 0, 0, 1, 0);
    emu_barrier(context, context->live, 1, 0, 2, 0);
  });

  EXPECT_EQ(outcome.text, "none");
}

TEST(BlockYield, LetsTheOtherWarpsOfTheBlockWriteWhatIsWaitedFor) {
  KernelLaunch kernel;
  kernel.launch.block = {64, 1, 1};
  kernel.launch.shared_bytes = 4;

  const auto outcome = kernel.run([](WarpContext* context) {
    auto* flag = reinterpret_cast<volatile std::uint32_t*>(context->shared);
    if (context->warp == 1) *flag = 77;
    while (*flag != 77) emu_yield(context);
  });

  EXPECT_EQ(outcome.text, "none");
}

}  // namespace
}  // namespace emulator::runtime
