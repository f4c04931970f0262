// wgmma: what may be done to its registers and tiles while it is under way, and what it requires.
// golden/ has what it computes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A kernel of one warpgroup, whose tiles of zeros are the 64 KB of shared memory at %r10 that the
// descriptor %rd10 names; the sums are %f0 to %f3, which begin as 1.
std::string with_tiles(const std::string& body) {
  return kernel_of(
      ".shared .align 1024 .b8 tiles[65536];\n.reg .pred %q;\n"
      "mov.u32 %r10, tiles; shl.b32 %r11, %r62, 4; mov.u32 %r13, 0;\n"
      "CLEAR: add.u32 %r12, %r10, %r11; st.shared.v4.b32 [%r12], {%r13, %r13, %r13, %r13};\n"
      "add.u32 %r11, %r11, 2048; setp.lt.u32 %p1, %r11, 65536; @%p1 bra CLEAR;\n"
      "shr.u32 %r14, %r10, 4; cvt.u64.u32 %rd10, %r14;\n"
      "add.u64 %rd10, %rd10, 0x4000004000010000;\n"
      "mov.f32 %f0, 0f3F800000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;\n"
      "setp.eq.u32 %q, 0, 0; fence.proxy.async; bar.sync 0; wgmma.fence.sync.aligned;\n" +
      body + "\nwgmma.wait_group.sync.aligned 0; st.global.f32 [%rd1], %f0;");
}
const std::string kProduct =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd10, %rd10, %q, 1, "
    "1, 0, 0;\n";
const std::string kCommit = "wgmma.commit_group.sync.aligned;\n";
const std::string kWait = "wgmma.wait_group.sync.aligned 0;\n";

Outcome run(const std::string& body, std::uint32_t threads = 128) {
  std::string ptx = with_tiles(body);
  const std::string target = ".target sm_90\n";
  ptx.replace(ptx.find(target), target.size(), ".target sm_90a\n");
  return run_kernel(ptx, std::vector<std::uint32_t>(threads, 5), threads,
                    {.block = {threads, 1, 1}});
}

TEST(Warpgroup, AddsToItsSums) {
  const Outcome outcome = run(kProduct + kCommit + kWait);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[77], 0x3F800000U);
}

TEST(Warpgroup, AddsToTheSameSumsOnceMoreWithoutAWait) {
  EXPECT_EQ(run(kProduct + kProduct + kCommit + kProduct + kCommit + kWait).fault, "");
}

TEST(Warpgroup, MayHaveItsSumsCopiedWhichOnlyRenamesThem) {
  const Outcome outcome =
      run(kProduct + kCommit + "mov.f32 %f9, %f0;\n" + kWait + "add.f32 %f0, %f9, %f9;\n");
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[3], 0x40000000U);
}

struct Misuse {
  const char* name;
  std::string body;
  const char* says;
};
class WarpgroupMisuse : public ::testing::TestWithParam<Misuse> {};
TEST_P(WarpgroupMisuse, IsAFaultThatNamesIt) {
  EXPECT_THAT(run(GetParam().body).fault, HasSubstr(GetParam().says));
}
const Misuse kMisuses[] = {
    {"sum_read", kProduct + kCommit + "add.f32 %f9, %f0, %f0;\n", "wait_group has to come first"},
    {"sum_written", kProduct + kCommit + "mov.f32 %f3, 0f00000000;\n",
     "wait_group has to come first"},
    {"copy_read", kProduct + kCommit + "mov.f32 %f9, %f0; add.f32 %f10, %f9, %f9;\n",
     "wait_group has to come first"},
    {"read_behind_a_wait_for_others",
     kCommit + kProduct + kCommit + "wgmma.wait_group.sync.aligned 1; add.f32 %f9, %f0, %f0;\n",
     "wait_group has to come first"},
    {"not_committed", kProduct + kWait + "add.f32 %f9, %f0, %f0;\n",
     "wait_group has to come first"},
    {"read_in_a_loop",
     "mov.u32 %r20, 0;\nAGAIN: " + kProduct + kCommit +
         "add.u32 %r20, %r20, 1; setp.eq.u32 %p2, %r20, 2; @%p2 add.f32 %f9, %f0, %f0;\n"
         "wgmma.wait_group.sync.aligned 0; setp.lt.u32 %p3, %r20, 2; @%p3 bra AGAIN;\n",
     "wait_group has to come first"},
    {"tile_overwritten", kProduct + kCommit + "st.shared.u32 [%r10+16], %r1;\n",
     "may be reading; wgmma.wait_group"},
    {"out_of_bounds", "add.u64 %rd10, %rd10, 0x1000; " + kProduct, "out-of-bounds load"},
    {"descriptors_that_differ",
     "mul.wide.u32 %rd11, %r62, 8; add.u64 %rd10, %rd10, %rd11;\n" + kProduct,
     "not the same in all lanes"},
    {"scales_that_differ", "setp.lt.u32 %q, %r62, 7;\n" + kProduct, "not the same in all lanes"},
    {"half_a_warp", "setp.lt.u32 %p4, %r62, 16; @!%p4 bra OUT;\n" + kProduct + "OUT: bar.sync 0;",
     "all 32 have to run it"},
};
INSTANTIATE_TEST_SUITE_P(Each, WarpgroupMisuse, ::testing::ValuesIn(kMisuses),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Warpgroup, OfFewerThanFourWarpsIsAFault) {
  EXPECT_THAT(run(kProduct + kCommit, 96).fault, HasSubstr("no warpgroup of four"));
}

// Eight warps, the second four of which write where the first four's product may be reading: before
// they wait, the others get their turn.
TEST(Warpgroup, WhoseTileAnotherWarpOverwritesBeforeTheWaitIsAFault) {
  const std::string body = "setp.ge.u32 %p4, %r62, 128; @%p4 bra WRITES;\n" + kProduct +
                           "bar.arrive 1, 256;\n" + kCommit + kWait +
                           "bra DONE;\nWRITES: bar.sync 1, 256; st.shared.u32 [%r10], %r1;\nDONE:";
  EXPECT_THAT(run(body, 256).fault, HasSubstr("may be reading; wgmma.wait_group"));
  const std::string right = "setp.ge.u32 %p4, %r62, 128; @%p4 bra WRITES;\n" + kProduct + kCommit +
                            kWait +
                            "bar.arrive 1, 256; bra DONE;\nWRITES: bar.sync 1, 256;"
                            "st.shared.u32 [%r10], %r1;\nDONE:";
  EXPECT_EQ(run(right, 256).fault, "");
}

// Each warp in turn is the one that overwrites the tile as soon as it has waited, without a word to
// the others of its warpgroup.
TEST(Warpgroup, WhoseTileOneOfItsWarpsOverwritesAfterItsWaitIsRight) {
  for (const char* warp : {"0", "1", "2", "3"}) {
    const Outcome outcome = run(kProduct + kCommit + kWait + "shr.u32 %r15, %r62, 5;\n" +
                                "setp.ne.u32 %p4, %r15, " + warp + "; @%p4 bra DONE;\n" +
                                "mov.u32 %r16, 0x3C003C00; st.shared.u32 [%r10], %r16;\nDONE:");
    ASSERT_EQ(outcome.fault, "") << warp;
    EXPECT_THAT(outcome.words, ::testing::Each(0x3F800000U)) << warp;
  }
}

// Of two groups one is over.
TEST(Warpgroup, ReadsTheTilesOfGroupsThatAreStillPending) {
  const std::string next = "add.u64 %rd11, %rd10, 256;\n";  // 4096 bytes behind
  std::string other = kProduct;
  for (std::size_t at = 0; (at = other.find("%rd10", at)) != std::string::npos;)
    other.replace(at, 5, "%rd11");
  const std::string body = next + kProduct + kCommit + other + kCommit +
                           "wgmma.wait_group.sync.aligned 1;\nsetp.ne.u32 %p4, %r62, 0;\n";
  EXPECT_EQ(run(body + "@!%p4 st.shared.u32 [%r10], %r13;\n").fault, "");
  EXPECT_THAT(run(body + "@!%p4 st.shared.u32 [%r10+4096], %r13;\n").fault,
              HasSubstr("may be reading; wgmma.wait_group"));
}

TEST(Warpgroup, OneOfWhoseWarpsEndsWithoutAProductIsAFault) {
  EXPECT_THAT(run("setp.ge.u32 %p4, %r62, 96; @%p4 ret;\n" + kProduct + kCommit + kWait).fault,
              HasSubstr("has ended without"));
}

TEST(Warpgroup, FaultNamesBothLines) {
  const std::string body = kProduct + kCommit + "add.f32 %f9, %f0, %f0;\n";
  const std::string ptx = with_tiles(body);
  const auto line_of = [&](const std::string& text) {
    const std::size_t at = ptx.find(text);
    return "line " +
           std::to_string(
               1 + std::count(ptx.begin(), ptx.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  };
  EXPECT_THAT(run(body).fault,
              AllOf(HasSubstr(line_of("wgmma.mma_async")), HasSubstr(line_of("add.f32 %f9"))));
}

}  // namespace
}  // namespace emulator::testing
