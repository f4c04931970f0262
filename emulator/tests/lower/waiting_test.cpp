// Lanes of a warp that wait for each other, or for other blocks, in loops: that they come to an
// end, with the right numbers, and that warps run them.
#include <gtest/gtest.h>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using runtime::Unit;

constexpr const char* kVariables =
    ".global .align 4 .u32 lock;\n.global .align 4 .u32 total;\n.global .align 4 .u32 flag;\n";

Outcome run(const std::string& body, std::uint32_t threads = 64) {
  return run_kernel(kernel_of(body, kVariables), std::vector<std::uint32_t>(threads, 1), threads,
                    {.block = {threads, 1, 1}});
}

// Unless the environment says that threads run everything.
void expect_warps(const Outcome& outcome) {
  const bool by_thread = jit::engine_of_environment() == lower::EngineChoice::threads;
  const Unit expected = by_thread ? Unit::thread : Unit::warp;
  EXPECT_EQ(outcome.unit.value_or(expected), expected);
}

// A lock that every lane takes for itself, around a sum that is not atomic.
TEST(Waiting, LanesTakeALockInTurn) {
  const Outcome outcome = run(R"(
    SPIN: atom.global.cas.b32 %r2, [lock], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra SPIN;
    ld.volatile.global.u32 %r3, [total]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [total], %r3;
    membar.gl; atom.global.exch.b32 %r4, [lock], 0;
    bar.sync 0; ld.volatile.global.u32 %r3, [total]; st.global.u32 [%rd1], %r3;)");

  ASSERT_EQ(outcome.fault, "");
  expect_warps(outcome);
  for (const std::uint32_t word : outcome.words) EXPECT_EQ(word, 64);
}

TEST(Waiting, LanesTakeALockByExchange) {
  const Outcome outcome = run(R"(
    SPIN: atom.global.exch.b32 %r2, [lock], 1; setp.eq.u32 %p1, %r2, 1; @%p1 bra SPIN;
    ld.volatile.global.u32 %r3, [total]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [total], %r3;
    st.release.gpu.global.u32 [lock], 0;
    bar.sync 0; ld.volatile.global.u32 %r3, [total]; st.global.u32 [%rd1], %r3;)");

  ASSERT_EQ(outcome.fault, "");
  expect_warps(outcome);
  for (const std::uint32_t word : outcome.words) EXPECT_EQ(word, 64);
}

TEST(Waiting, ALaneWaitsForWhatAnotherOfItsWarpWrites) {
  const Outcome outcome = run(R"(
    setp.eq.u32 %p1, %r0, 0; @%p1 bra PRODUCER;
    SPIN: ld.acquire.gpu.global.u32 %r2, [flag]; setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN;
    ld.global.u32 %r3, [total]; bra DONE;
    PRODUCER: st.global.u32 [total], 77; st.release.gpu.global.u32 [flag], 1; mov.u32 %r3, 5;
    DONE: st.global.u32 [%rd1], %r3;)",
                              32);

  ASSERT_EQ(outcome.fault, "");
  expect_warps(outcome);
  EXPECT_EQ(outcome.words[0], 5);
  EXPECT_EQ(outcome.words[31], 77);
}

TEST(Waiting, LanesPassATokenFromOneToTheNext) {
  const Outcome outcome = run(R"(
    SPIN: ld.volatile.global.u32 %r2, [flag]; setp.ne.u32 %p1, %r2, %r0; @%p1 bra SPIN;
    mad.lo.u32 %r3, %r2, %r2, 1; st.global.u32 [%rd1], %r3;
    add.u32 %r2, %r2, 1; st.volatile.global.u32 [flag], %r2;)");

  ASSERT_EQ(outcome.fault, "");
  expect_warps(outcome);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(outcome.words[i], i * i + 1);
}

TEST(Waiting, ListsGrowUnderALockPerBucket) {
  // Each thread puts itself at the head of one of four lists; the lists are then walked.
  const Outcome outcome =
      run_kernel(kernel_of(R"(
    and.b32 %r2, %r0, 3; mul.wide.u32 %rd5, %r2, 4; mov.u64 %rd6, locks; add.u64 %rd6, %rd6, %rd5;
    mov.u64 %rd7, heads; add.u64 %rd7, %rd7, %rd5;
    mul.wide.u32 %rd8, %r0, 4; mov.u64 %rd9, next; add.u64 %rd9, %rd9, %rd8;
    SPIN: atom.global.acquire.gpu.cas.b32 %r3, [%rd6], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra SPIN;
    ld.volatile.global.u32 %r4, [%rd7]; st.global.u32 [%rd9], %r4; add.u32 %r5, %r0, 1;
    st.volatile.global.u32 [%rd7], %r5; st.release.gpu.global.u32 [%rd6], 0;
    bar.sync 0; mov.u32 %r6, 0; ld.volatile.global.u32 %r4, [%rd7];
    WALK: setp.eq.u32 %p2, %r4, 0; @%p2 bra DONE; add.u32 %r6, %r6, %r4; sub.u32 %r7, %r4, 1;
    mul.wide.u32 %rd8, %r7, 4; mov.u64 %rd9, next; add.u64 %rd9, %rd9, %rd8;
    ld.volatile.global.u32 %r4, [%rd9]; bra WALK;
    DONE: st.global.u32 [%rd1], %r6;)",
                           ".global .align 4 .b8 locks[16];\n.global .align 4 .b8 heads[16];\n"
                           ".global .align 4 .b8 next[512];\n"),
                 std::vector<std::uint32_t>(128, 1), 128, {.block = {128, 1, 1}});

  ASSERT_EQ(outcome.fault, "");
  expect_warps(outcome);
  for (std::uint32_t i = 0; i < 128; ++i) {
    std::uint32_t sum = 0;
    for (std::uint32_t t = i % 4; t < 128; t += 4) sum += t + 1;
    EXPECT_EQ(outcome.words[i], sum) << i;
  }
}

// Each lane of a block waits for what the same lane of the block before has left.
TEST(Waiting, EachLaneLooksBackAtTheBlockBefore) {
  const std::uint32_t blocks = 40;
  const std::size_t threads = std::size_t{64} * blocks;
  const Outcome outcome =
      run_kernel(kernel_of(R"(
    .shared .u32 ticket;
    setp.ne.u32 %p1, %r62, 0; @!%p1 atom.global.add.u32 %r2, [total], 1;
    @!%p1 st.shared.u32 [ticket], %r2; bar.sync 0; ld.shared.u32 %r2, [ticket];
    mad.lo.u32 %r0, %r2, %r61, %r62; mul.wide.u32 %rd4, %r0, 4; add.s64 %rd1, %rd3, %rd4;
    mov.u64 %rd5, sums; add.s64 %rd5, %rd5, %rd4;
    mov.u32 %r4, 0; setp.eq.u32 %p2, %r2, 0; @%p2 bra PUBLISH;
    SPIN: ld.volatile.global.u32 %r4, [%rd5+-256]; setp.eq.u32 %p3, %r4, 0; @%p3 bra SPIN;
    PUBLISH: add.u32 %r4, %r4, %r62; add.u32 %r4, %r4, 1; st.volatile.global.u32 [%rd5], %r4;
    bar.sync 0; st.global.u32 [%rd1], %r4;)",
                           ".global .align 4 .u32 total;\n.global .align 4 .b8 sums[10240];\n"),
                 std::vector<std::uint32_t>(threads, 1), threads,
                 {.grid = {blocks, 1, 1}, .block = {64, 1, 1}});

  ASSERT_EQ(outcome.fault, "");
  expect_warps(outcome);
  for (std::uint32_t i = 0; i < threads; ++i) {
    EXPECT_EQ(outcome.words[i], (i / 64 + 1) * (i % 64 + 1)) << i;
  }
}

// Lanes wait in three loops behind each other; each lets the lanes on that wait in the one before.
TEST(Waiting, LanesInSeveralLoopsTakeTurns) {
  const Outcome outcome = run(R"(
    mov.u32 %r3, 7; and.b32 %r4, %r0, 3;
    setp.eq.u32 %p4, %r4, 0; @!%p4 bra SECOND;
    FIRST: ld.volatile.global.u32 %r2, [flag]; setp.lt.u32 %p1, %r2, 64; @%p1 bra FIRST;
    st.global.u32 [%rd1], 1; add.u32 %r3, %r3, 1;
    SECOND: setp.eq.u32 %p4, %r4, 1; @!%p4 bra THIRD;
    WAIT: ld.volatile.global.u32 %r2, [total]; setp.lt.u32 %p1, %r2, 16; @%p1 bra WAIT;
    red.global.add.u32 [flag], 4; add.u32 %r3, %r3, 2;
    THIRD: setp.eq.u32 %p4, %r4, 2; @!%p4 bra LAST;
    AGAIN: atom.global.cas.b32 %r2, [lock], 1, 1; setp.ne.u32 %p1, %r2, 1; @%p1 bra AGAIN;
    red.global.add.u32 [total], 1; add.u32 %r3, %r3, 4;
    LAST: setp.eq.u32 %p4, %r0, 3; @%p4 st.volatile.global.u32 [lock], 1;
    bar.sync 0; st.global.u32 [%rd1], %r3;)");

  ASSERT_EQ(outcome.fault, "");
  expect_warps(outcome);
  const std::vector<std::uint32_t> expected{8, 9, 11, 7};
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(outcome.words[i], expected[i % 4]) << i;
}

// What they wait for is written behind a barrier of the lanes that do not.
TEST(Waiting, OtherLanesOfTheWarpGatherMeanwhile) {
  const Outcome outcome = run(R"(
    and.b32 %r4, %r62, 31; setp.lt.u32 %p4, %r4, 8; @%p4 bra OTHERS;
    SPIN: ld.acquire.gpu.global.u32 %r2, [flag]; setp.lt.u32 %p1, %r2, 2; @%p1 bra SPIN;
    mov.u32 %r3, 100; bra DONE;
    OTHERS: setp.lt.u32 %p2, %r4, 4; mov.u32 %r3, %r4; @%p2 bra HERE; add.u32 %r3, %r3, 10;
    HERE: bar.warp.sync 0xff; shfl.sync.bfly.b32 %r3, %r3, 7, 31, 0xff;
    setp.eq.u32 %p3, %r4, 0; @%p3 red.release.gpu.global.add.u32 [flag], 1;
    DONE: bar.warp.sync -1; shfl.sync.bfly.b32 %r5, %r3, 16, 31, -1;
    add.u32 %r3, %r3, %r5; st.global.u32 [%rd1], %r3;)");

  ASSERT_EQ(outcome.fault, "");
  expect_warps(outcome);
  const auto left = [](std::uint32_t lane) {
    if (lane >= 8) return 100U;
    return 7 - lane < 4 ? 7 - lane : 7 - lane + 10;
  };
  for (std::uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(outcome.words[i], left(i % 32) + left((i % 32) ^ 16)) << i;
  }
}

// Lanes go round an outer loop while others wait in the one inside of it. A counter that is the
// same in all lanes that run together is not the same in those that wait.
TEST(Waiting, LanesGoRoundWhileOthersWait) {
  const Outcome outcome = run(R"(
    mov.u32 %r2, 0; mov.u32 %r5, 0;
    OUTER: add.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r62, 5; @%p1 bra NEXT;
    setp.ne.u32 %p1, %r2, 2; @%p1 bra NEXT;
    SPIN: ld.volatile.global.u32 %r4, [total]; setp.lt.u32 %p2, %r4, 311; @%p2 bra SPIN;
    NEXT: red.global.add.u32 [total], 1; add.u32 %r5, %r5, %r2;
    setp.lt.u32 %p3, %r2, 10; @%p3 bra OUTER;
    st.global.u32 [%rd1], %r5;)",
                              32);

  ASSERT_EQ(outcome.fault, "");
  expect_warps(outcome);
  // 31 lanes go round ten times, and the one that waits went round once.
  for (const std::uint32_t word : outcome.words) EXPECT_EQ(word, 55);
}

TEST(Waiting, OneThreadWaitsForAnotherWarp) {
  const Outcome outcome = run(R"(
    setp.ge.u32 %p3, %r0, 32; @%p3 bra SET;
    setp.ne.u32 %p1, %r0, 0; @%p1 bra JOIN;
    SPIN: ld.acquire.gpu.global.u32 %r2, [flag]; setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN;
    JOIN: bar.sync 1, 32; st.global.u32 [%rd1], 3; bra DONE;
    SET: st.global.u32 [%rd1], 4; st.release.gpu.global.u32 [flag], 1;
    DONE:)");

  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[1], 3);
}

TEST(Waiting, ASemaphoreOfBlocksLeavesTheWarpWhole) {
  const Outcome outcome = run(R"(
    setp.ne.u32 %p1, %r62, 0; @%p1 bra JOIN;
    SPIN: ld.acquire.gpu.global.u32 %r2, [flag]; setp.ne.u32 %p2, %r2, %r60; @%p2 bra SPIN;
    JOIN: bar.sync 0; st.global.u32 [%rd1], 3;
    bar.sync 0; @%p1 bra DONE; add.u32 %r2, %r60, 1; st.release.gpu.global.u32 [flag], %r2; DONE:)");

  ASSERT_EQ(outcome.fault, "");
  expect_warps(outcome);
}

TEST(Waiting, ALockFreeUpdateLeavesTheWarpWhole) {
  const Outcome outcome = run(R"(
    ld.global.u32 %r2, [total];
    AGAIN: mov.u32 %r3, %r2; add.u32 %r4, %r3, 2; atom.global.cas.b32 %r2, [total], %r3, %r4;
    setp.ne.u32 %p1, %r2, %r3; @%p1 bra AGAIN;
    st.global.u32 [%rd1], 1; bar.sync 0; ld.volatile.global.u32 %r5, [total];
    st.global.u32 [%rd1], %r5;)");

  ASSERT_EQ(outcome.fault, "");
  expect_warps(outcome);
  EXPECT_EQ(outcome.words[17], 128);
}

TEST(Waiting, AQueueOfWorkLeavesTheWarpWhole) {
  const Outcome outcome = run(R"(
    NEXT: atom.global.add.u32 %r2, [total], 1; setp.ge.u32 %p1, %r2, 64; @%p1 bra DONE;
    mul.wide.u32 %rd5, %r2, 4; add.u64 %rd6, %rd3, %rd5; mul.lo.u32 %r3, %r2, 7;
    st.global.u32 [%rd6], %r3; bra NEXT;
    DONE: red.global.add.u32 [flag], 1;)");

  ASSERT_EQ(outcome.fault, "");
  expect_warps(outcome);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(outcome.words[i], 7 * i);
}

TEST(Waiting, ALaneWaitsByAddingNothing) {
  const Outcome outcome = run(R"(
    setp.eq.u32 %p1, %r0, 0; @%p1 bra PRODUCER;
    SPIN: atom.global.add.u32 %r2, [flag], 0; setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN;
    mov.u32 %r3, 6; bra DONE;
    PRODUCER: red.global.add.u32 [flag], 1; mov.u32 %r3, 5;
    DONE: st.global.u32 [%rd1], %r3;)",
                              32);

  ASSERT_EQ(outcome.fault, "");
  expect_warps(outcome);
  EXPECT_EQ(outcome.words[9], 6);
}

TEST(Waiting, APlainLoopOverMemoryLeavesTheWarpWhole) {
  const Outcome outcome = run(R"(
    mov.u32 %r2, 0; mov.u32 %r3, 0;
    LOOP: ld.global.u32 %r4, [%rd0]; add.u32 %r3, %r3, %r4; add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, %r62; @%p1 bra LOOP; st.global.u32 [%rd1], %r3;)");

  ASSERT_EQ(outcome.fault, "");
  expect_warps(outcome);
}

}  // namespace
}  // namespace emulator::testing
