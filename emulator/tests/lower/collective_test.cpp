// What the lanes of a warp do together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

std::vector<std::uint32_t> squares() {
  std::vector<std::uint32_t> words(32);
  for (std::uint32_t i = 0; i < 32; ++i) words[i] = i * i + 7;
  return words;
}

std::vector<std::uint32_t> run(const std::string& instruction) {
  const Outcome outcome =
      run_kernel(kernel_of(instruction + " st.global.u32 [%rd1], %r3;"), squares(), 32);
  EXPECT_EQ(outcome.fault, "");
  return outcome.words;
}

TEST(Shuffle, DownTakesFromHigherLanesAndKeepsItsOwnAtTheEnd) {
  const auto got = run("shfl.sync.down.b32 %r3, %r1, 4, 31, -1;");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], squares()[i + 4 < 32 ? i + 4 : i]);
}
TEST(Shuffle, UpTakesFromLowerLanesOfItsSegment) {
  const auto got = run("shfl.sync.up.b32 %r3, %r1, 1, 0x1800, -1;");  // segments of 8
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], squares()[i % 8 == 0 ? i : i - 1]);
}
TEST(Shuffle, ButterflyExchangesPairs) {
  const auto got = run("shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], squares()[i ^ 1U]);
}
TEST(Shuffle, AnIndexMayDifferFromLaneToLane) {
  const auto got =
      run("mul.lo.u32 %r4, %r0, 5; and.b32 %r4, %r4, 31; shfl.sync.idx.b32 %r3, %r1, %r4, 31, -1;");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], squares()[i * 5 % 32]);
}
TEST(Shuffle, ThePredicateSaysWhetherTheSourceWasInRange) {
  const auto got = run("shfl.sync.down.b32 %r4|%p1, %r1, 16, 31, -1; selp.u32 %r3, 1, 0, %p1;");
  EXPECT_EQ(std::accumulate(got.begin(), got.end(), 0U), 16U);
}
TEST(Vote, BallotHasABitForEachLaneWherePredicateHolds) {
  EXPECT_EQ(run("setp.gt.u32 %p1, %r0, 27; vote.sync.ballot.b32 %r3, %p1, -1;")[5], 0xf0000000U);
}
TEST(Vote, AnyAndAllLookAtEveryLane) {
  const std::string code =
      "setp.eq.u32 %p1, %r0, 9; vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, %p1, -1;"
      "selp.u32 %r4, 2, 0, %p2; selp.u32 %r5, 1, 0, %p3; add.u32 %r3, %r4, %r5;";
  EXPECT_EQ(run(code)[0], 2U);
}
TEST(Vote, LanesOfADivergedPartVoteAmongThemselves) {
  const auto got =
      run("mov.u32 %r3, 0; setp.lt.u32 %p1, %r0, 8; @!%p1 bra OUT; activemask.b32 %r3; OUT:");
  EXPECT_EQ(got[3], 0xffU);
  EXPECT_EQ(got[20], 0U);
}
TEST(Match, AnyNamesTheLanesWithTheSameValue) {
  const auto got = run("and.b32 %r4, %r0, 3; match.any.sync.b32 %r3, %r4, -1;");
  EXPECT_EQ(got[6], 0x44444444U);
}
TEST(Reduce, AddsTheLanesThatRun) { EXPECT_EQ(run("redux.sync.add.s32 %r3, %r0, -1;")[1], 496U); }

// What lane l of the group with lowest lane `first` and `size` lanes gets of all of its group.
std::vector<std::uint32_t> in_groups(
    const std::function<std::uint32_t(std::size_t first, std::size_t size)>& result) {
  std::vector<std::uint32_t> expected(32);
  for (std::size_t i = 0; i < 4; ++i) expected[i] = result(0, 4);
  for (std::size_t i = 4; i < 16; ++i) expected[i] = result(4, 12);
  for (std::size_t i = 16; i < 32; ++i) expected[i] = result(16, 16);
  return expected;
}

// Members %r9: lanes 0 to 3, 4 to 15 and 16 to 31, as tiles of cooperative_groups have.
std::vector<std::uint32_t> run_in_groups(const std::string& instruction) {
  return run(
      "mov.u32 %r9, 0xf; setp.ge.u32 %p8, %r0, 4; @%p8 mov.u32 %r9, 0xfff0; setp.ge.u32 %p8, "
      "%r0, 16; @%p8 mov.u32 %r9, 0xffff0000;" +
      instruction);
}

TEST(Groups, LanesThatNameOthersReduceAmongThemselves) {
  const auto sum = [](std::size_t first, std::size_t size) {
    const auto all = squares();
    return std::accumulate(&all[first], &all[first] + size, 0U);
  };
  EXPECT_EQ(run_in_groups("redux.sync.add.u32 %r3, %r1, %r9;"), in_groups(sum));
  const auto least = [](std::size_t first, std::size_t) { return squares()[first]; };
  EXPECT_EQ(run_in_groups("redux.sync.min.u32 %r3, %r1, %r9;"), in_groups(least));
}
TEST(Groups, LanesThatNameOthersVoteAmongThemselves) {
  const auto bits = [](std::size_t first, std::size_t size) {
    std::uint32_t set = 0;
    for (std::size_t i = first; i < first + size; ++i) set |= i >= 4 && i < 20 ? 1U << i : 0U;
    return set;
  };
  const std::string predicate = "setp.ge.u32 %p1, %r0, 4; setp.lt.and.u32 %p1, %r0, 20, %p1;";
  EXPECT_EQ(run_in_groups(predicate + "vote.sync.ballot.b32 %r3, %p1, %r9;"), in_groups(bits));
  const auto verdicts = [](std::size_t first, std::size_t) {
    return first == 0 ? 1U : first == 4 ? 7U : 2U;  // none; all; some
  };
  EXPECT_EQ(
      run_in_groups(predicate +
                    "vote.sync.any.pred %p2, %p1, %r9; vote.sync.all.pred %p3, %p1, %r9; "
                    "vote.sync.uni.pred %p4, %p1, %r9; selp.u32 %r3, 2, 0, %p2; selp.u32 %r4, "
                    "4, 0, %p3; selp.u32 %r5, 1, 0, %p4; or.b32 %r3, %r3, %r4; or.b32 %r3, "
                    "%r3, %r5;"),
      in_groups(verdicts));
}
TEST(Groups, LanesThatNameOthersMatchAndElectAmongThemselves) {
  const auto got = run_in_groups("and.b32 %r4, %r0, 3; match.any.sync.b32 %r3, %r4, %r9;");
  EXPECT_EQ(got[1], 0x2U);
  EXPECT_EQ(got[5], 0x2220U);
  EXPECT_EQ(got[18], 0x44440000U);
  const auto first = [](std::size_t lowest, std::size_t) {
    return static_cast<std::uint32_t>(lowest);
  };
  EXPECT_EQ(run_in_groups("elect.sync %r3|%p1, %r9;"), in_groups(first));
}
TEST(Shuffle, OfALaneThatItsOwnMaskLeavesOutIsAFault) {
  const Outcome outcome =
      run_kernel(kernel_of("shfl.sync.bfly.b32 %r3, %r1, 1, 31, 1; st.global.u32 [%rd1], %r3;"),
                 squares(), 32);
  EXPECT_EQ(outcome.kind, runtime::FaultKind::bad_instruction);
  EXPECT_NE(outcome.fault.find("mask leaves out the lane that runs it, by thread (1,0,0)"),
            std::string::npos)
      << outcome.fault;
}
TEST(Groups, OfALaneThatNamesOnlyOthersAreAFault) {
  const Outcome outcome = run_kernel(
      kernel_of("mov.u32 %r9, 0xffff; setp.ge.u32 %p8, %r0, 16; @%p8 mov.u32 %r9, 0xffff0000; "
                "setp.eq.u32 %p1, %r0, 20; @%p1 mov.u32 %r9, 0xffff; "
                "redux.sync.add.u32 %r3, %r1, %r9; st.global.u32 [%rd1], %r3;"),
      squares(), 32);
  EXPECT_EQ(outcome.kind, runtime::FaultKind::bad_instruction);
  EXPECT_NE(outcome.fault.find("by thread (20,0,0)"), std::string::npos) << outcome.fault;
}
TEST(Groups, OfWhichOneMissesALaneAreAFault) {
  const Outcome outcome = run_kernel(
      kernel_of("mov.u32 %r9, 0xffff; setp.ge.u32 %p8, %r0, 16; @%p8 mov.u32 %r9, 0xffff0000; "
                "setp.eq.u32 %p1, %r0, 20; @%p1 bra OUT; redux.sync.add.u32 %r3, %r1, %r9; "
                "OUT: st.global.u32 [%rd1], %r3; bar.sync 0;"),
      squares(), 32);
  ASSERT_NE(outcome.fault, "");
  EXPECT_EQ(outcome.kind, runtime::FaultKind::barrier) << outcome.fault;
}

TEST(Collective, OneThatSomeNamedLanesNeverReachIsAFault) {
  const Outcome outcome = run_kernel(
      kernel_of("setp.lt.u32 %p1, %r0, 8; @%p1 bra OUT; shfl.sync.down.b32 %r3, %r1, 1, 31, -1;"
                "st.global.u32 [%rd1], %r3; OUT: bar.sync 0; st.global.u32 [%rd1], 1;"),
      squares(), 32);
  ASSERT_NE(outcome.fault, "");
  EXPECT_EQ(outcome.kind, runtime::FaultKind::barrier);
}

// Lanes 8 to 31 are named, and exit while the others wait for them.
constexpr const char* kOthersExit =
    "mov.u32 %r9, -1; setp.lt.u32 %p1, %r0, 8; @%p1 bra HERE;"
    "mov.u32 %r4, 0; AGAIN: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r0; @%p2 bra AGAIN;"
    "st.global.u32 [%rd1], %r4; ret; HERE:";
std::vector<std::uint32_t> where_others_exit(const std::string& body) {
  const Outcome outcome =
      run_kernel(kernel_of(kOthersExit + body + "st.global.u32 [%rd1], %r3;"), squares(), 32);
  EXPECT_EQ(outcome.fault, "");
  for (std::uint32_t i = 8; i < 32; ++i) EXPECT_EQ(outcome.words[i], i);
  return {outcome.words.begin(), outcome.words.begin() + 8};
}

TEST(NamedLanesThatExitLater, DoNotVote) {
  EXPECT_THAT(where_others_exit("setp.ne.u32 %p3, %r0, 3; vote.sync.ballot.b32 %r3, %p3, -1;"),
              Each(0xf7U));
  EXPECT_THAT(where_others_exit("setp.lt.u32 %p3, %r0, 8; vote.sync.all.pred %p4, %p3, %r9;"
                                "selp.u32 %r3, 1, 0, %p4;"),
              Each(1U));
}
TEST(NamedLanesThatExitLater, DoNotMatch) {
  EXPECT_THAT(where_others_exit("and.b32 %r4, %r0, 1; match.any.sync.b32 %r3, %r4, -1;"),
              ElementsAre(0x55U, 0xaaU, 0x55U, 0xaaU, 0x55U, 0xaaU, 0x55U, 0xaaU));
}
TEST(NamedLanesThatExitLater, AddNothing) {
  EXPECT_THAT(where_others_exit("redux.sync.add.s32 %r3, %r0, %r9;"), Each(28U));
}
TEST(NamedLanesThatExitLater, LeaveAShuffleOfTheOthersRight) {
  EXPECT_THAT(where_others_exit("shfl.sync.bfly.b32 %r3, %r0, 7, 31, -1; bar.warp.sync -1;"),
              ElementsAre(7U, 6U, 5U, 4U, 3U, 2U, 1U, 0U));
}

// Those that go round first come to the vote when the others have gone round once more.
TEST(NamedLanes, MayComeInAnotherRound) {
  const Outcome outcome = run_kernel(
      kernel_of("mov.u32 %r2, 0; mov.u32 %r3, 0;"
                "NEXT: add.u32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, 1; setp.ge.u32 %p2, %r0, 4;"
                "and.pred %p3, %p1, %p2; @%p3 bra NEXT;"
                "vote.sync.ballot.b32 %r4, %p1, -1; add.u32 %r3, %r3, %r4;"
                "setp.lt.u32 %p4, %r2, 4; @%p4 bra NEXT;"
                "st.global.u32 [%rd1], %r3;"),
      squares(), 32);
  ASSERT_EQ(outcome.fault, "");
  // Lanes 0 to 3 vote four times, the others three times, the last time when those have exited.
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], 0xfU) << i;
}

TEST(NamedLanes, MayBeSomeWhileOthersRunOtherCode) {
  const Outcome outcome =
      run_kernel(kernel_of("setp.lt.u32 %p1, %r0, 8; mov.u32 %r3, 5; @!%p1 bra OTHERS;"
                           "redux.sync.add.s32 %r3, %r0, 0xff; bra DONE;"
                           "OTHERS: st.global.u32 [%rd1], 0; add.u32 %r3, %r3, %r0;"
                           "DONE: st.global.u32 [%rd1], %r3;"),
                 squares(), 32);
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], i < 8 ? 28 : 5 + i) << i;
}

TEST(NamedLanes, MayBeThoseWhoseGuardHolds) {
  const Outcome outcome =
      run_kernel(kernel_of("setp.lt.u32 %p1, %r0, 8; add.u32 %r3, %r0, 5;"
                           "@%p1 redux.sync.add.s32 %r3, %r0, 0xff; st.global.u32 [%rd1], %r3;"),
                 squares(), 32);
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], i < 8 ? 28 : 5 + i) << i;
}

TEST(Warps, OneThatWaitsForAnotherLetsItRun) {
  // The first warp spins on a flag the second one sets.
  const std::string body = R"(
    .shared .align 4 .b8 flag[4];
    mov.u32 %r2, flag; setp.eq.u32 %p3, %r0, 0; @%p3 st.shared.u32 [%r2], 0; bar.sync 0;
    setp.ge.u32 %p1, %r0, 32; @%p1 bra SET;
    SPIN: ld.volatile.shared.u32 %r3, [%r2]; setp.eq.u32 %p2, %r3, 0; @%p2 bra SPIN; bra DONE;
    SET: st.volatile.shared.u32 [%r2], 1;
    DONE: st.global.u32 [%rd1], 77;)";
  const Outcome outcome = run_kernel(kernel_of(body), std::vector<std::uint32_t>(64, 1), 64,
                                     {.grid = {1, 1, 1}, .block = {64, 1, 1}});
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[0], 77U);
}

}  // namespace
}  // namespace emulator::testing
