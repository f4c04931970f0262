// Lanes that go different ways: every kernel here is also written as a loop over threads in C++.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

std::vector<std::uint32_t> inputs(std::size_t count) {
  std::mt19937 random(7);
  std::vector<std::uint32_t> words(count);
  for (auto& word : words) word = static_cast<std::uint32_t>(random() % 50);
  return words;
}

void expect_each(const std::string& body,
                 const std::function<std::uint32_t(std::uint32_t, std::uint32_t)>& thread,
                 const Grid& grid = {.grid = {3, 1, 1}, .block = {96, 1, 1}}) {
  const std::size_t count = std::size_t{grid.grid[0]} * grid.block[0];
  const auto input = inputs(count);
  const Outcome outcome = run_kernel(kernel_of(body), input, count, grid);
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t i = 0; i < count; ++i)
    ASSERT_EQ(outcome.words[i], thread(i, input[i])) << "thread " << i;
}

TEST(Divergence, BothSidesOfABranchRunForTheirOwnLanes) {
  expect_each(R"(
    and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; mov.u32 %r3, 7;
    @%p1 bra EVEN; add.u32 %r3, %r3, %r1; bra DONE;
    EVEN: mul.lo.u32 %r3, %r3, %r1;
    DONE: st.global.u32 [%rd1], %r3;)",
              [](std::uint32_t, std::uint32_t x) { return x % 2 == 0 ? 7 * x : 7 + x; });
}

TEST(Divergence, AUniformRegisterWrittenOnOneSideKeepsItsOldValueOnTheOther) {
  expect_each(R"(
    setp.lt.u32 %p1, %r1, 20; mov.u32 %r3, 1;
    @%p1 bra LOW; mov.u32 %r3, 100; st.global.u32 [%rd1], %r3; bra DONE;
    LOW: st.global.u32 [%rd1], %r3;
    DONE:)",
              [](std::uint32_t, std::uint32_t x) { return x < 20 ? 1U : 100U; });
}

TEST(Divergence, LanesLeaveALoopWhenTheirOwnCountIsReached) {
  expect_each(R"(
    mov.u32 %r2, 0; mov.u32 %r3, 0;
    LOOP: setp.ge.u32 %p1, %r2, %r1; @%p1 bra DONE;
    add.u32 %r3, %r3, %r2; add.u32 %r2, %r2, 1; bra LOOP;
    DONE: shl.b32 %r4, %r2, 16; or.b32 %r3, %r3, %r4; st.global.u32 [%rd1], %r3;)",
              [](std::uint32_t, std::uint32_t x) { return x * (x - 1) / 2 | x << 16; });
}

TEST(Divergence, AUniformCounterReadAfterADivergentLoopIsEachLanesOwn) {
  expect_each(R"(
    mov.u32 %r2, 0;
    LOOP: add.u32 %r2, %r2, 3; setp.lt.u32 %p1, %r2, %r1; @%p1 bra LOOP;
    st.global.u32 [%rd1], %r2;)",
              [](std::uint32_t, std::uint32_t x) {
                std::uint32_t n = 0;
                do n += 3;
                while (n < x);
                return n;
              });
}

TEST(Divergence, LanesMayContinueALoopFromTwoPlaces) {
  expect_each(R"(
    mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r5, 1;
    LOOP: add.u32 %r2, %r2, 1; mul.lo.u32 %r5, %r5, 3; setp.gt.u32 %p1, %r2, 12; @%p1 bra DONE;
    add.u32 %r4, %r2, %r1; and.b32 %r4, %r4, 3; setp.eq.u32 %p2, %r4, 0; @%p2 bra LOOP;
    add.u32 %r3, %r3, %r5; bra LOOP;
    DONE: st.global.u32 [%rd1], %r3;)",
              [](std::uint32_t, std::uint32_t x) {
                std::uint32_t sum = 0;
                std::uint32_t power = 1;
                for (std::uint32_t n = 1; n <= 12; ++n) {
                  power *= 3;
                  if ((n + x) % 4 != 0) sum += power;
                }
                return sum;
              });
}

TEST(Divergence, LanesThatReturnEarlyLeaveTheOthersRunning) {
  expect_each(R"(
    st.global.u32 [%rd1], 5; setp.lt.u32 %p1, %r1, 25; @%p1 ret;
    mov.u32 %r2, 0; LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, %r1; @%p2 bra LOOP;
    st.global.u32 [%rd1], %r2;)",
              [](std::uint32_t, std::uint32_t x) { return x < 25 ? 5 : x; });
}

// What nvcc makes of `if (i >= n) return;` is a branch to a ret that all share.
TEST(Divergence, LanesThatBranchToTheEndAreNotWaitedFor) {
  expect_each(R"(
    setp.ge.u32 %p1, %r0, 75; mov.u32 %r3, 1; mov.u32 %r4, 99;
    @%p1 bra END;
    shfl.sync.up.b32 %r4, %r0, 1, 0, -1;
    setp.lt.u32 %p2, %r1, 10; @%p2 bra END;
    vote.sync.ballot.b32 %r5, %p3, 0xffffffff;
    st.global.u32 [%rd1], %r4;
    bra FURTHER;
    FURTHER: bra.uni END;
    END:)",
              [](std::uint32_t i, std::uint32_t x) {
                if (i >= 75 || x < 10) return 0xcdcdcdcdU;
                return i % 32 == 0 ? i : i - 1;
              },
              {.grid = {1, 1, 1}, .block = {96, 1, 1}});
}

TEST(Divergence, ABarrierIsReachedByThoseWhoHaveNotLeft) {
  expect_each(R"(
    .shared .u32 sum;
    setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [sum], 0; bar.sync 0;
    mov.u32 %r2, 0;
    LOOP: red.shared.add.u32 [sum], 1; bar.sync 0;
    add.u32 %r2, %r2, 1; setp.gt.u32 %p2, %r2, 3; @%p2 bra DONE;
    setp.gt.u32 %p3, %r0, 40; @%p3 bra END;
    bra LOOP;
    DONE: ld.shared.u32 %r3, [sum]; st.global.u32 [%rd1], %r3;
    END:)",
              [](std::uint32_t i, std::uint32_t) { return i > 40 ? 0xcdcdcdcdU : 64U + 3 * 41U; },
              {.grid = {1, 1, 1}, .block = {64, 1, 1}});
}

TEST(Divergence, NestedLoopsWithOwnBoundsGiveEachLaneItsOwnSum) {
  expect_each(R"(
    mov.u32 %r2, 0; mov.u32 %r5, 0;
    OUTER: setp.ge.u32 %p1, %r2, %r1; @%p1 bra DONE; mov.u32 %r3, 0;
    INNER: setp.ge.u32 %p2, %r3, %r2; @%p2 bra NEXT;
    xor.b32 %r4, %r2, %r3; add.u32 %r5, %r5, %r4; add.u32 %r3, %r3, 1; bra INNER;
    NEXT: add.u32 %r2, %r2, 1; bra OUTER;
    DONE: st.global.u32 [%rd1], %r5;)",
              [](std::uint32_t, std::uint32_t x) {
                std::uint32_t sum = 0;
                for (std::uint32_t i = 0; i < x; ++i) {
                  for (std::uint32_t j = 0; j < i; ++j) sum += i ^ j;
                }
                return sum;
              });
}

TEST(Divergence, ALoopEnteredAtTwoPlacesRunsEachLaneFromItsOwn) {
  expect_each(R"(
    mov.u32 %r2, 0; mov.u32 %r3, 0; setp.lt.u32 %p1, %r1, 30; @%p1 bra MIDDLE;
    TOP: add.u32 %r3, %r3, 10;
    MIDDLE: add.u32 %r3, %r3, 1; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 5; @%p2 bra TOP;
    st.global.u32 [%rd1], %r3;)",
              [](std::uint32_t, std::uint32_t x) { return x < 30 ? 45U : 55U; });
}

TEST(Divergence, ASwitchSendsEachLaneToItsOwnCase) {
  expect_each(R"(
    and.b32 %r2, %r1, 3; mov.u32 %r3, 0;
    TABLE: .branchtargets A, B, C, A;
    brx.idx %r2, TABLE;
    A: add.u32 %r3, %r3, 1; bra DONE;
    B: add.u32 %r3, %r3, 10; bra C;
    C: add.u32 %r3, %r3, 100;
    DONE: st.global.u32 [%rd1], %r3;)",
              [](std::uint32_t, std::uint32_t x) {
                switch (x % 4) {
                  case 1:
                    return 110U;
                  case 2:
                    return 100U;
                  default:
                    return 1U;
                }
              });
}

TEST(Divergence, AGuardedInstructionLeavesTheOtherLanesAlone) {
  expect_each(R"(
    setp.gt.u32 %p1, %r1, 25; mov.u32 %r2, 3; @%p1 add.u32 %r2, %r2, %r1; @!%p1 mul.lo.u32 %r2, %r2, 5;
    st.global.u32 [%rd1], 0; @%p1 st.global.u32 [%rd1], %r2;)",
              [](std::uint32_t, std::uint32_t x) { return x > 25 ? 3 + x : 0; });
}

TEST(Divergence, ALoadUnderAGuardThatHoldsForNoLaneTouchesNothing) {
  expect_each(R"(
    setp.gt.u32 %p1, %r1, 1000; mov.u64 %rd5, 0; mov.u32 %r2, 9; @%p1 ld.global.u32 %r2, [%rd5];
    st.global.u32 [%rd1], %r2;)",
              [](std::uint32_t, std::uint32_t) { return 9U; });
}

TEST(Divergence, ABlockThatIsNoMultipleOf32RunsItsOwnThreadsOnly) {
  const Grid grid{.grid = {2, 1, 1}, .block = {45, 1, 1}};
  expect_each(
      "add.u32 %r2, %r1, %r0; st.global.u32 [%rd1], %r2;",
      [](std::uint32_t i, std::uint32_t x) { return x + i; }, grid);
}

TEST(Divergence, BarriersSeparateWhatWarpsWriteFromWhatTheyRead) {
  const std::string body = R"(
    .shared .align 4 .b8 tile[384];
    mov.u32 %r10, %tid.x; shl.b32 %r11, %r10, 2; mov.u32 %r12, tile; add.u32 %r13, %r12, %r11;
    st.shared.u32 [%r13], %r1; bar.sync 0;
    mov.u32 %r14, 95; sub.u32 %r15, %r14, %r10; shl.b32 %r15, %r15, 2; add.u32 %r15, %r12, %r15;
    ld.shared.u32 %r16, [%r15]; st.global.u32 [%rd1], %r16;)";
  const std::size_t count = 96;
  const auto input = inputs(count);
  const Outcome outcome =
      run_kernel(kernel_of(body), input, count, {.grid = {1, 1, 1}, .block = {96, 1, 1}});
  ASSERT_EQ(outcome.fault, "");
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(outcome.words[i], input[95 - i]);
}

// Six rounds, in each of which a thread whose number has that bit adds one to a sum of the block,
// and all threads see it: of 96 threads with the same inputs as above.
std::uint32_t sums_of_rounds() {
  std::uint32_t all = 0;
  const std::vector<std::uint32_t> input = inputs(96);
  for (std::uint32_t round = 0; round < 6; ++round) {
    for (const std::uint32_t x : input) all += (6 - round) * (x >> round & 1);
  }
  return all;
}

void expect_sums_of_rounds(const std::string& rounds) {
  const std::string begin = R"(
    .shared .u32 sum; setp.eq.u32 %p9, %r0, 0; @%p9 st.shared.u32 [sum], 0;
    mov.u32 %r2, 0; mov.u32 %r3, 0;
    bar.sync 0;)";
  expect_each(begin + rounds, [](std::uint32_t, std::uint32_t) { return sums_of_rounds(); },
              {.grid = {1, 1, 1}, .block = {96, 1, 1}});
}

// As nvcc writes the second loop of HeCBench's nw.
TEST(Divergence, TheEndOfALoopWithItsBarrierMayStandInFrontOfItsBeginning) {
  expect_sums_of_rounds(R"(
    bra.uni HEAD;
    END: bar.sync 0; ld.shared.u32 %r4, [sum]; add.u32 %r3, %r3, %r4; bar.sync 0;
    add.u32 %r2, %r2, 1;
    HEAD: setp.eq.u32 %p1, %r2, 6; @%p1 bra DONE;
    shr.u32 %r5, %r1, %r2; and.b32 %r5, %r5, 1; setp.eq.u32 %p2, %r5, 0; @%p2 bra END;
    red.shared.add.u32 [sum], 1; bra.uni END;
    DONE: st.global.u32 [%rd1], %r3;)");
}

TEST(Divergence, LanesThatContinueALoopFromTwoPlacesMeetAtTheBarrierAtItsHead) {
  expect_sums_of_rounds(R"(
    mov.u32 %r2, -1;
    HEAD: bar.sync 0; ld.shared.u32 %r4, [sum]; add.u32 %r3, %r3, %r4; bar.sync 0;
    add.u32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, 6; @%p1 bra DONE;
    shr.u32 %r5, %r1, %r2; and.b32 %r5, %r5, 1; setp.eq.u32 %p2, %r5, 0; @%p2 bra HEAD;
    red.shared.add.u32 [sum], 1; bra.uni HEAD;
    DONE: st.global.u32 [%rd1], %r3;)");
}

TEST(Divergence, LanesThatLeaveAnInnerLoopForTheOuterHeadWaitThereForTheOthers) {
  expect_sums_of_rounds(R"(
    TABLE: .branchtargets INNER, HEAD, DONE;
    mov.u32 %r2, -1;
    HEAD: bar.sync 0; ld.shared.u32 %r4, [sum]; add.u32 %r3, %r3, %r4; bar.sync 0;
    add.u32 %r2, %r2, 1; shr.u32 %r5, %r1, %r2; and.b32 %r5, %r5, 1;
    setp.eq.u32 %p1, %r2, 6; selp.u32 %r6, 2, 1, %p1; @%p1 mov.u32 %r5, 0;
    INNER: setp.gt.u32 %p2, %r5, 0; @%p2 red.shared.add.u32 [sum], 1; @%p2 sub.u32 %r5, %r5, 1;
    selp.u32 %r7, 0, %r6, %p2; brx.idx %r7, TABLE;
    DONE: st.global.u32 [%rd1], %r3;)");
}

TEST(Divergence, WaysOutOfALoopMeetAtABarrierThatStandsInFrontOfIt) {
  expect_sums_of_rounds(R"(
    bra.uni ROUND;
    BEHIND: bar.sync 0; ld.shared.u32 %r4, [sum]; add.u32 %r3, %r3, %r4; bar.sync 0;
    add.u32 %r2, %r2, 1;
    ROUND: setp.eq.u32 %p1, %r2, 6; @%p1 bra DONE;
    mov.u32 %r5, %r1; mov.u32 %r6, 0;
    BIT: setp.eq.u32 %p2, %r6, %r2; @%p2 bra FOUND;
    shr.u32 %r5, %r5, 1; add.u32 %r6, %r6, 1; setp.eq.u32 %p3, %r5, 0; @%p3 bra BEHIND; bra BIT;
    FOUND: and.b32 %r5, %r5, 1; setp.eq.u32 %p4, %r5, 0; @%p4 bra BEHIND;
    red.shared.add.u32 [sum], 1; bra.uni BEHIND;
    DONE: st.global.u32 [%rd1], %r3;)");
}

TEST(Divergence, WhoEntersALoopAtTwoPlacesMeetsAtABarrierThatStandsInFrontOfIt) {
  expect_sums_of_rounds(R"(
    bra.uni ROUND;
    BEHIND: bar.sync 0; ld.shared.u32 %r4, [sum]; add.u32 %r3, %r3, %r4; bar.sync 0;
    add.u32 %r2, %r2, 1;
    ROUND: setp.eq.u32 %p1, %r2, 6; @%p1 bra DONE;
    shr.u32 %r5, %r1, %r2; and.b32 %r5, %r5, 1; mov.u32 %r6, 0;
    setp.eq.u32 %p2, %r5, 0; @%p2 bra SECOND;
    FIRST: setp.eq.u32 %p3, %r6, 0; @%p3 red.shared.add.u32 [sum], %r5;
    SECOND: add.u32 %r6, %r6, 1; setp.lt.u32 %p4, %r6, %r1; setp.lt.u32 %p5, %r6, 4;
    and.pred %p4, %p4, %p5; @!%p4 bra BEHIND; bra.uni FIRST;
    DONE: st.global.u32 [%rd1], %r3;)");
}

TEST(Divergence, CodeThatNothingReachesChangesNothing) {
  expect_each(R"(
    .shared .u32 word; bra.uni AWAY;
    DEAD: setp.lt.u32 %p1, %r1, 20; @%p1 bra AWAY; bra.uni BACK;
    BACK: bar.sync 0; @%p1 bra DEAD; st.shared.u32 [word], 9;
    AWAY: bar.sync 0; st.global.u32 [%rd1], %r1;)",
              [](std::uint32_t, std::uint32_t x) { return x; });
}

TEST(Divergence, ABarrierOnlyPartOfAWarpReachesIsAFault) {
  const Outcome outcome = run_kernel(kernel_of("setp.lt.u32 %p1, %r0, 16; @%p1 bra SKIP; bar.sync "
                                               "0; SKIP: st.global.u32 [%rd1], 1; bar.sync 0;"),
                                     inputs(64), 64, {.grid = {1, 1, 1}, .block = {64, 1, 1}});
  ASSERT_NE(outcome.fault, "");
  EXPECT_EQ(outcome.kind, runtime::FaultKind::barrier);
}

}  // namespace
}  // namespace emulator::testing
