// clusterlaunchcontrol: blocks that take the work of others that have not begun.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kTiles = 96;

// Registers of the kernels here: %q1 is the response, %r10 its address, %r11 that of the mbarrier,
// which is initialised for one arrival; %p15 is true in thread 0. The mbarrier's parity is in %r12.
const std::string kBegin =
    ".reg .b128 %q1; .shared .align 16 .b8 response[32]; .shared .align 8 .b64 bar[2];\n"
    "mov.u32 %r10, response; mov.u32 %r11, bar; setp.eq.u32 %p15, %r62, 0; mov.u32 %r12, 0;\n"
    "@%p15 mbarrier.init.shared::cta.b64 [%r11], 1;\n"
    "@%p15 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n";
// Waits for the response and reads it: %p1 says whether a block was taken, %r20 to %r22 which.
const std::string kAwait =
    "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r11], %r12;\n@!%p2 bra WAIT;\n"
    "xor.b32 %r12, %r12, 1;\nld.shared.b128 %q1, [%r10];\n"
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q1;\n";
const std::string kExpect = "@%p15 mbarrier.arrive.expect_tx.shared::cta.b64 %rd20, [%r11], 16;\n";
const std::string kCancel =
    "@%p15 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "
    "[%r10], [%r11];\n";
// Adds 1 to the word %r5 of the output, in thread 0.
const std::string kCount =
    "mul.wide.u32 %rd10, %r5, 4; add.s64 %rd10, %rd3, %rd10; "
    "@%p15 red.global.add.u32 [%rd10], 1;\n";

Outcome run(const std::string& body, std::size_t words, const Grid& launch) {
  const std::size_t threads =
      std::size_t{launch.block[0]} * launch.grid[0] * launch.grid[1] * launch.grid[2];
  return run_kernel(kernel_of(body), Words(threads), words, launch);
}
// The output was 0xcdcdcdcd in every word.
Words counted(const Outcome& outcome) {
  EXPECT_EQ(outcome.fault, "");
  Words counts = outcome.words;
  for (std::uint32_t& count : counts) count -= 0xcdcdcdcd;
  return counts;
}

// Each block does its own tile, and those of the blocks that it takes; behind the tiles' words it
// counts the blocks that have begun.
const std::string kStealing =
    kBegin + fmt::format("mov.u32 %r5, {};\n", kTiles) + kCount +
    "mov.u32 %r5, %ctaid.x;\nNEXT:\n" + kExpect + kCancel + kCount + kAwait +
    "@!%p1 bra DONE;\n"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r5, %q1;\nbar.sync 0;\n"
    "bra NEXT;\nDONE:\n";

TEST(LaunchControl, DoesEachTileOnceByFewerBlocks) {
  const Words counts =
      counted(run(kStealing, kTiles + 1, {.grid = {kTiles, 1, 1}, .block = {64, 1, 1}}));
  EXPECT_THAT(Words(counts.begin(), counts.begin() + kTiles), Each(1U));
  EXPECT_GE(counts[kTiles], 1U);
  EXPECT_LT(counts[kTiles], kTiles);
}

TEST(LaunchControl, OfALaunchOfOneBlockTakesNone) {
  const Words counts = counted(run(kStealing, kTiles + 1, {.block = {32, 1, 1}}));
  EXPECT_EQ(counts[0], 1U);
  EXPECT_EQ(counts[kTiles], 1U);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0U), 2U);
}

// The same, with a place in three dimensions, read in both ways, and generic addresses.
TEST(LaunchControl, NamesTheFirstBlockInThreeDimensions) {
  const std::string body =
      kBegin +
      "cvt.u64.u32 %rd14, %r10; cvta.shared.u64 %rd14, %rd14; cvt.u64.u32 %rd15, %r11; "
      "cvta.shared.u64 %rd15, %rd15;\n"
      "mov.u32 %r20, %ctaid.x; mov.u32 %r21, %ctaid.y; mov.u32 %r22, %ctaid.z;\nNEXT:\n" +
      kExpect +
      "@%p15 clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [%rd14], "
      "[%rd15];\n"
      "mad.lo.u32 %r5, %r22, 5, %r21; mad.lo.u32 %r5, %r5, 7, %r20;\n" +
      kCount + kAwait +
      "@!%p1 bra DONE;\n"
      "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r20, %r21, %r22, _}, %q1;\n"
      "clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r23, %q1;\n"
      "mov.b128 {%rd16, %rd17}, %q1;\n"
      "clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %r24, {%rd16, %rd17};\n"
      "setp.ne.u32 %p3, %r23, %r21; setp.ne.or.u32 %p3, %r24, %r22, %p3; @%p3 trap;\n"
      "bar.sync 0; bra NEXT;\nDONE:\n";
  const Words counts = counted(run(body, 105, {.grid = {7, 5, 3}, .block = {32, 1, 1}}));
  EXPECT_THAT(counts, Each(1U));
}

// A cluster takes another one: each of its blocks does the tile of its rank.
const std::string kStealingClusters =
    kBegin + fmt::format("mov.u32 %r5, {};\n", kTiles) + kCount +
    "mov.u32 %r5, %ctaid.x; mov.u32 %r6, %cluster_ctarank;\nsetp.eq.and.u32 %p14, %r6, 0, %p15;\n"
    "NEXT:\n" +
    kExpect +
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
    "@%p14 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes."
    "multicast::cluster::all.b128 [%r10], [%r11];\n" +
    kCount + kAwait +
    "@!%p1 bra DONE;\n"
    "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r5, %q1;\n"
    "add.u32 %r5, %r5, %r6;\nbarrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
    "bra NEXT;\nDONE:\nbarrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";

TEST(LaunchControl, OfAClusterTellsAllItsBlocks) {
  const Words counts =
      counted(run(kStealingClusters, kTiles + 1,
                  {.grid = {kTiles, 1, 1}, .block = {64, 1, 1}, .cluster = {4, 1, 1}}));
  EXPECT_THAT(Words(counts.begin(), counts.begin() + kTiles), Each(1U));
  EXPECT_EQ(counts[kTiles] % 4, 0U);
  EXPECT_LT(counts[kTiles], kTiles);
}

TEST(LaunchControl, OfABlockAloneTellsItTooWhereItTellsAll) {
  const Words counts =
      counted(run(kStealingClusters, kTiles + 1, {.grid = {kTiles, 1, 1}, .block = {32, 1, 1}}));
  EXPECT_THAT(Words(counts.begin(), counts.begin() + kTiles), Each(1U));
}

TEST(LaunchControl, WithAResponseThatIsMisalignedIsAFault) {
  const Outcome outcome = run(
      kBegin +
          "@%p15 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes."
          "b128 [%r10+8], [%r11];",
      32, {});
  EXPECT_EQ(outcome.kind, runtime::FaultKind::misaligned);
  EXPECT_THAT(outcome.fault, HasSubstr("no multiple of 16"));
  EXPECT_THAT(outcome.fault, HasSubstr("clusterlaunchcontrol.try_cancel"));
}

TEST(LaunchControl, WithoutAnMbarrierIsAFault) {
  const Outcome outcome = run(
      kBegin +
          "@%p15 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes."
          "b128 [%r10], [%r11+8];",
      32, {});
  EXPECT_EQ(outcome.kind, runtime::FaultKind::bad_instruction);
  EXPECT_THAT(outcome.fault, HasSubstr("mbarrier that is not initialised"));
}

TEST(LaunchControl, OutsideSharedMemoryIsAFault) {
  const Outcome outcome = run(
      kBegin +
          "@%p15 clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [%rd1], "
          "[%rd1];",
      32, {});
  EXPECT_EQ(outcome.kind, runtime::FaultKind::out_of_bounds);
}

}  // namespace
}  // namespace emulator::testing
