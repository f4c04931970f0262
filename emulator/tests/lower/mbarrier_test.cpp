// Barriers in shared memory, and copies that complete at them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using ::testing::HasSubstr;

std::vector<std::uint32_t> counting(std::size_t words, std::uint32_t from = 1000) {
  std::vector<std::uint32_t> all(words);
  for (std::size_t i = 0; i < words; ++i) all[i] = from + static_cast<std::uint32_t>(i);
  return all;
}

// `body` finds barriers in shared memory at %r10 and %r10 + 8, the first initialised by thread 0
// for `count` arrivals, and 1024 bytes of shared memory from %r11 on. %p15 is true in thread 0.
std::string with_barrier(const std::string& body, unsigned count) {
  return kernel_of(
      ".shared .align 8 .b8 bar[16]; .shared .align 16 .b8 tile[1024];\n"
      "mov.u32 %r10, bar; mov.u32 %r11, tile; setp.eq.u32 %p15, %r62, 0;\n"
      "@%p15 mbarrier.init.shared::cta.b64 [%r10], " +
      std::to_string(count) + ";\n@%p15 fence.mbarrier_init.release.cluster;\n" + "bar.sync 0;\n" +
      body);
}

Outcome run(const std::string& body, unsigned count, std::size_t words, const Grid& grid = {}) {
  return run_kernel(with_barrier(body, count), counting(1024), words, grid);
}

TEST(Mbarriers, CountArrivalsOfAllLanes) {
  const Outcome outcome =
      run("mbarrier.arrive.shared.b64 %rd10, [%r10];"
          "mbarrier.pending_count.b64 %r20, %rd10; st.global.u32 [%rd1], %r20;"
          "mbarrier.test_wait.shared.b64 %p1, [%r10], %rd10; selp.u32 %r21, 1, 0, %p1;"
          "st.global.u32 [%rd1+128], %r21;"
          "mbarrier.arrive.release.cta.shared::cta.b64 %rd11, [%r10], 1;"
          "mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p2, [%r10], 0;"
          "mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r10], 1;"
          "selp.u32 %r22, 1, 0, %p2; selp.u32 %r23, 2, 0, %p3; or.b32 %r22, %r22, %r23;"
          "st.global.u32 [%rd1+256], %r22;",
          32, 96);
  ASSERT_EQ(outcome.fault, "");
  std::vector<std::uint32_t> pending(outcome.words.begin(), outcome.words.begin() + 32);
  std::ranges::sort(pending);  // in which order the lanes arrive is nobody's promise
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(pending[lane], lane + 1);
    EXPECT_EQ(outcome.words[32 + lane], 1U);
    EXPECT_EQ(outcome.words[64 + lane], 2U);  // two phases are over: the parity is 0 again
  }
}

TEST(Mbarriers, TakeGenericAddressesAndCountsOfSeveral) {
  const Outcome outcome =
      run("cvt.u64.u32 %rd5, %r10; cvta.shared.u64 %rd5, %rd5; setp.lt.u32 %p1, %r0, 8;"
          "@%p1 mbarrier.arrive.noComplete.b64 %rd10, [%rd5], 3; bar.sync 0;"
          "@%p15 mbarrier.arrive_drop.b64 %rd11, [%rd5], 6;"
          "mbarrier.pending_count.b64 %r20, %rd11; @%p15 st.global.u32 [%rd1], %r20;"
          "@%p15 mbarrier.arrive.b64 %rd12, [%rd5], 24;"
          "mbarrier.pending_count.b64 %r21, %rd12; @%p15 st.global.u32 [%rd1+4], %r21;"
          "@%p15 mbarrier.inval.b64 [%rd5];",
          30, 32);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[0], 6U);
  EXPECT_EQ(outcome.words[1], 24U);  // 6 fewer from the second phase on
}

TEST(Mbarriers, WaitForBytesToo) {
  const Outcome outcome = run(
      "@%p15 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r10], 48;"
      "mbarrier.test_wait.parity.shared.b64 %p1, [%r10], 0; selp.u32 %r20, 1, 0, %p1; bar.sync 0;"
      "@%p15 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r10], 16; bar.sync 0;"
      "@%p15 mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r10], 64; bar.sync 0;"
      "mbarrier.try_wait.parity.shared.b64 %p2, [%r10], 0, 1000; selp.u32 %r21, 2, 0, %p2;"
      "or.b32 %r20, %r20, %r21; st.global.u32 [%rd1], %r20;",
      1, 32);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[7], 2U);
}

// Warp 0 fills two buffers in turn, warp 1 empties them: each waits for the other's barrier.
TEST(Mbarriers, LetAProducerAndAConsumerTakeTurns) {
  const Outcome outcome = run(
      ".shared .align 8 .b8 full[16]; .shared .align 8 .b8 empty[16];\n"
      "mov.u32 %r12, full; mov.u32 %r13, empty; mov.u32 %r20, 0; mov.u32 %r30, 0;\n"
      "@%p15 mbarrier.init.shared.b64 [%r12], 1; @%p15 mbarrier.init.shared.b64 [%r12+8], 1;\n"
      "@%p15 mbarrier.init.shared.b64 [%r13], 32; @%p15 mbarrier.init.shared.b64 [%r13+8], 32;\n"
      "bar.sync 0; setp.ge.u32 %p1, %r0, 32; @%p1 bra CONSUME; @!%p15 bra OUT;\n"
      "PRODUCE: and.b32 %r21, %r20, 1; shl.b32 %r22, %r21, 3; shr.u32 %r23, %r20, 1;\n"
      "and.b32 %r23, %r23, 1; xor.b32 %r24, %r23, 1; add.u32 %r25, %r13, %r22;\n"
      "WAIT_EMPTY: mbarrier.try_wait.parity.shared.b64 %p2, [%r25], %r24; @!%p2 bra WAIT_EMPTY;\n"
      "add.u32 %r26, %r12, %r22; shl.b32 %r27, %r21, 7; add.u32 %r28, %r11, %r27;\n"
      "mul.wide.u32 %rd5, %r20, 128; add.s64 %rd6, %rd2, %rd5;\n"
      "mbarrier.arrive.expect_tx.shared.b64 %rd10, [%r26], 128;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r28], [%rd6], 128, "
      "[%r26];\n"
      "add.u32 %r20, %r20, 1; setp.lt.u32 %p3, %r20, 7; @%p3 bra PRODUCE; bra OUT;\n"
      "CONSUME: and.b32 %r21, %r20, 1; shl.b32 %r22, %r21, 3; shr.u32 %r23, %r20, 1;\n"
      "and.b32 %r23, %r23, 1; add.u32 %r26, %r12, %r22; shl.b32 %r27, %r21, 7;\n"
      "WAIT_FULL: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p2, [%r26], %r23;\n"
      "@!%p2 bra WAIT_FULL; add.u32 %r28, %r11, %r27; sub.u32 %r31, %r0, 32;\n"
      "shl.b32 %r32, %r31, 2; add.u32 %r28, %r28, %r32; ld.shared.u32 %r29, [%r28];\n"
      "mad.lo.u32 %r30, %r30, 3, %r29; add.u32 %r25, %r13, %r22;\n"
      "mbarrier.arrive.shared.b64 %rd10, [%r25];\n"
      "add.u32 %r20, %r20, 1; setp.lt.u32 %p3, %r20, 7; @%p3 bra CONSUME;\n"
      "st.global.u32 [%rd1], %r30; OUT:",
      1, 64, {.block = {64, 1, 1}});
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    std::uint32_t expected = 0;
    for (std::uint32_t chunk = 0; chunk < 7; ++chunk)
      expected = expected * 3 + 1000 + chunk * 32 + lane;
    EXPECT_EQ(outcome.words[32 + lane], expected) << lane;
  }
}

TEST(Mbarriers, AreArrivedAtByCopiesOfALane) {
  const Outcome outcome = run(
      "shl.b32 %r20, %r0, 4; add.u32 %r21, %r11, %r20; mul.wide.u32 %rd5, %r0, 16;"
      "add.s64 %rd6, %rd2, %rd5; cp.async.cg.shared.global [%r21], [%rd6], 16;"
      "cp.async.mbarrier.arrive.noinc.shared.b64 [%r10];"
      "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0; @!%p1 bra WAIT;"
      "cp.async.mbarrier.arrive.shared::cta.b64 [%r10];"
      "mbarrier.arrive.shared.b64 %rd7, [%r10]; mbarrier.pending_count.b64 %r24, %rd7;"
      "st.global.u32 [%rd1+128], %r24; ld.shared.u32 %r22, [%r21+12]; st.global.u32 [%rd1], %r22;",
      32, 64);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[5], 1000U + 4 * 5 + 3);
  EXPECT_EQ(outcome.words[32], 32U);  // the arrival without .noinc changed nothing
}

struct Misuse {
  const char* name;
  const char* body;
  const char* message;
};
void PrintTo(const Misuse& m, std::ostream* out) { *out << m.name; }
class MbarrierMisuse : public ::testing::TestWithParam<Misuse> {};
TEST_P(MbarrierMisuse, IsAFaultThatSaysWhy) {
  const Outcome outcome = run(GetParam().body, 1, 32);
  EXPECT_THAT(outcome.fault, HasSubstr(GetParam().message));
  EXPECT_THAT(outcome.fault, HasSubstr("PTX line "));
}
constexpr Misuse kMisuses[] = {
    {"never_initialised",
     "@%p15 st.shared.u64 [%r10+8], 0; mbarrier.arrive.shared.b64 %rd5, [%r10+8];",
     "not initialised"},
    {"invalidated", "@%p15 mbarrier.inval.shared.b64 [%r10]; mbarrier.arrive.shared.b64 _, [%r10];",
     "not initialised"},
    {"count_of_zero", "mov.u32 %r20, 0; mbarrier.init.shared.b64 [%r10], %r20;",
     "not 1 to 1048575"},
    {"too_many", "@%p15 mbarrier.arrive.shared.b64 _, [%r10], 2;", "does not expect"},
    {"in_global_memory", "mbarrier.arrive.b64 _, [%rd0];", "outside shared memory"},
    {"outside", "mbarrier.arrive.shared.b64 _, [%r10+65536];", "out-of-bounds"},
    {"crooked", "mbarrier.arrive.shared.b64 _, [%r10+4];", "misaligned"},
    {"invented_state", "mov.u64 %rd5, 7; mbarrier.test_wait.shared.b64 %p1, [%r10], %rd5;",
     "no arrival gave"},
    {"too_many_bytes", "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r10], 1048575;",
     "beyond 1048575"},
    {"bulk_of_odd_size",
     "mov.u32 %r20, 20; @%p15 cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r11], %r20;",
     "no multiple of 16"},
    {"bulk_past_the_end", "@%p15 cp.async.bulk.global.shared::cta.bulk_group [%rd3], [%r11], 256;",
     "out-of-bounds"},
    {"bulk_misaligned", "@%p15 cp.async.bulk.global.shared::cta.bulk_group [%rd3+8], [%r11], 16;",
     "misaligned"},
    {"rank_beyond_the_cluster", "mapa.shared::cluster.u32 %r20, %r10, 1;", "cannot be carried out"},
};
INSTANTIATE_TEST_SUITE_P(Each, MbarrierMisuse, ::testing::ValuesIn(kMisuses),
                         [](const auto& test) { return std::string(test.param.name); });

// Thread 0 copies 128 bytes in, every lane adds its number, thread 0 hands them out as
// `instruction` says: from [%r11], to [%rd3], which holds 1 everywhere.
Outcome handed_out(const std::string& instruction) {
  return run(
      "st.global.u32 [%rd1], 1;"
      "@%p15 mbarrier.arrive.expect_tx.shared.b64 _, [%r10], 128;"
      "@%p15 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r11], [%rd2], 128, "
      "[%r10];"
      "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0; @!%p1 bra WAIT;"
      "shl.b32 %r20, %r0, 2; add.u32 %r20, %r20, %r11; ld.shared.u32 %r21, [%r20];"
      "mul.lo.u32 %r21, %r21, %r0; st.shared.u32 [%r20], %r21;"
      "fence.proxy.async; bar.sync 0; @%p15 " +
          instruction +
          "; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;"
          "cp.async.bulk.wait_group 0;",
      1, 32);
}

TEST(BulkCopy, BringsSharedMemoryToGlobalMemory) {
  const Outcome outcome =
      handed_out("cp.async.bulk.global.shared::cta.bulk_group [%rd3+32], [%r11+32], 64");
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(outcome.words[i], i >= 8 && i < 24 ? (1000 + i) * i : 1U) << i;
}
TEST(BulkReduction, AddsEachElement) {
  const Outcome outcome =
      handed_out("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd3], [%r11], 128");
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], (1000 + i) * i + 1) << i;
}
TEST(BulkReduction, KnowsTheElementsTypes) {
  const Outcome smaller =
      handed_out("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%rd3], [%r11], 128");
  EXPECT_EQ(smaller.words[0], 0U);
  EXPECT_EQ(smaller.words[9], 1U);
  const Outcome wide =
      handed_out("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%rd3], [%r11], 128");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(wide.words[i], (1000 + i) * i + 1) << i;
  const Outcome bits =
      handed_out("cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b32 [%rd3], [%r11], 128");
  EXPECT_EQ(bits.words[6], (1006U * 6) | 1U);
  const Outcome halves =
      handed_out("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.f16 [%rd3], [%r11], 128");
  // 0x0000:0x07df against 0x0000:0x0001
  EXPECT_EQ(halves.words[2], 1002U * 2);
}
TEST(BulkReduction, FlushesSubnormalFloatsAsThePtxIsaSays) {
  const Outcome floats =
      handed_out("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd3], [%r11], 128");
  EXPECT_EQ(floats.words[2], 0U);  // both are subnormal
}

// Each lane writes its number and, 128 bytes on, 100 more; thread 0 has the first 128 bytes put to
// the second, as `instruction` says: from [%r11] to [%r21], completing at [%r10].
Outcome within_shared_memory(const std::string& instruction) {
  return run(
      "shl.b32 %r20, %r0, 2; add.u32 %r20, %r20, %r11; add.u32 %r21, %r11, 128;"
      "add.u32 %r22, %r0, 100; st.shared.u32 [%r20], %r0; st.shared.u32 [%r20+128], %r22;"
      "fence.proxy.async.shared::cta; bar.sync 0;"
      "@%p15 mbarrier.arrive.expect_tx.shared.b64 _, [%r10], 128; @%p15 " +
          instruction +
          " [%r21], [%r11], 128, [%r10];"
          "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0; @!%p1 bra WAIT;"
          "ld.shared.u32 %r23, [%r20+128]; st.global.u32 [%rd1], %r23;",
      1, 32);
}

TEST(BulkCopy, WithinSharedMemoryCompletesAtItsBarrier) {
  const Outcome outcome = within_shared_memory(
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes");
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], i);
}
TEST(BulkReduction, InSharedMemoryCompletesAtItsBarrier) {
  const Outcome outcome = within_shared_memory(
      "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32");
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], 100 + 2 * i);
}

TEST(ClusterBarrier, LetsNobodyPastBeforeAllHaveArrived) {
  const Outcome outcome = run_kernel(
      kernel_of(".shared .align 4 .b8 word[128]; mov.u32 %r10, word; shr.u32 %r11, %r0, 5;"
                "shl.b32 %r12, %r11, 2; add.u32 %r12, %r12, %r10; mov.u32 %r13, 0;"
                "AGAIN: nanosleep.u32 1; add.u32 %r13, %r13, 1; setp.lt.u32 %p1, %r13, %r11;"
                "@%p1 bra AGAIN; add.u32 %r14, %r11, 7; st.shared.u32 [%r12], %r14;"
                "barrier.cluster.arrive.release.aligned;"
                // The last warp leaves without waiting: it has arrived all the same.
                "setp.eq.u32 %p2, %r11, 3; @%p2 bra OUT;"
                "barrier.cluster.wait.acquire.aligned; ld.shared.u32 %r20, [%r10];"
                "ld.shared.u32 %r21, [%r10+4]; ld.shared.u32 %r22, [%r10+8];"
                "ld.shared.u32 %r23, [%r10+12]; add.u32 %r20, %r20, %r21; add.u32 %r20, %r20, %r22;"
                "add.u32 %r20, %r20, %r23; st.global.u32 [%rd1], %r20; OUT:"),
      counting(128), 128, {.block = {128, 1, 1}});
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t t = 0; t < 96; ++t) EXPECT_EQ(outcome.words[t], 7U + 8 + 9 + 10) << t;
}

TEST(ClusterBarrier, ThatCanNeverFillIsAFault) {
  const Outcome outcome =
      run_kernel(kernel_of("setp.lt.u32 %p1, %r0, 32; @%p1 bra ELSE; barrier.cluster.arrive;"
                           "barrier.cluster.wait; bra OUT; ELSE: bar.sync 1, 64; OUT:"),
                 counting(64), 64, {.block = {64, 1, 1}});
  EXPECT_EQ(outcome.kind, runtime::FaultKind::barrier);
  EXPECT_THAT(outcome.fault, HasSubstr("can never fill"));
}

}  // namespace
}  // namespace emulator::testing
