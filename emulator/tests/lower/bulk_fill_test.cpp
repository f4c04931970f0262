// st.bulk, and cp.async.bulk of some bytes of each 16, which sm_100 has.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

// Shared memory of 128 words at %r10, which hold the input's; at the end they go to the output.
Outcome run(const std::string& body) {
  Words input(128);
  for (std::uint32_t i = 0; i < 128; ++i) input[i] = 0x01020304U * (i % 50 + 1);
  return run_kernel(
      kernel_of(".shared .align 16 .b8 tile[512];\n"
                "mov.u32 %r10, tile; shl.b32 %r11, %r0, 2; add.u32 %r11, %r10, %r11; "
                "setp.eq.u32 %p15, %r0, 0; st.shared.u32 [%r11], %r1; bar.sync 0;\n" +
                body + "\nbar.sync 0; ld.shared.u32 %r12, [%r11]; st.global.u32 [%rd1], %r12;"),
      input, 128, {.block = {128, 1, 1}});
}
Words filled(const std::string& body) {
  const Outcome outcome = run(body);
  EXPECT_EQ(outcome.fault, "") << body;
  return outcome.words;
}
Words untouched() { return filled(""); }
Words zeros_in(std::size_t begin, std::size_t end) {
  Words words = untouched();
  std::fill(words.begin() + static_cast<std::ptrdiff_t>(begin),
            words.begin() + static_cast<std::ptrdiff_t>(end), 0);
  return words;
}

TEST(BulkFill, StoresZeros) {
  EXPECT_EQ(filled("@%p15 st.bulk.weak.shared::cta [%r10+8], 64, 0;"), zeros_in(2, 18));
  EXPECT_EQ(filled("@%p15 st.bulk.shared::cta [%r10], 512, 0;"), Words(128, 0));
  EXPECT_EQ(filled("@%p15 st.bulk.weak.shared::cta [%r10], 0, 0;"), untouched());
}
TEST(BulkFill, TakesGenericAddressesAndASizeOfEachThread) {
  EXPECT_EQ(filled("cvt.u64.u32 %rd5, %r11; cvta.shared.u64 %rd5, %rd5; and.b32 %r5, %r0, 8; "
                   "cvt.u64.u32 %rd6, %r5; and.b32 %r6, %r0, 1; setp.eq.u32 %p1, %r6, 0; "
                   "@%p1 st.bulk.weak [%rd5], %rd6, 0;"),
            [] {
              Words words = untouched();
              for (std::size_t i = 0; i < words.size(); ++i)
                words[i] = (i & 8U) != 0 ? 0 : words[i];
              return words;
            }());
}
TEST(BulkFill, BeyondSharedMemoryIsAFault) {
  const Outcome outcome = run("@%p15 st.bulk.weak.shared::cta [%r10+8], 512, 0;");
  EXPECT_EQ(outcome.kind, runtime::FaultKind::out_of_bounds);
  EXPECT_THAT(outcome.fault, HasSubstr("store of 512 bytes"));
  EXPECT_THAT(outcome.fault, HasSubstr("st.bulk.weak.shared::cta"));
}
TEST(BulkFill, OfAMisalignedAddressIsAFault) {
  const Outcome outcome = run("@%p15 st.bulk.weak.shared::cta [%r10+4], 8, 0;");
  EXPECT_EQ(outcome.kind, runtime::FaultKind::misaligned);
}
TEST(BulkFill, OfASizeThatIsNoMultipleOfEightIsAFault) {
  const Outcome outcome = run("mov.u64 %rd5, 12; @%p15 st.bulk.weak.shared::cta [%r10], %rd5, 0;");
  EXPECT_EQ(outcome.kind, runtime::FaultKind::bad_instruction);
  EXPECT_THAT(outcome.fault, HasSubstr("no multiple of 8 bytes"));
}
TEST(BulkFill, OfGlobalMemoryIsAFault) {
  const Outcome outcome = run("@%p15 st.bulk.weak [%rd3], 8, 0;");
  EXPECT_EQ(outcome.kind, runtime::FaultKind::bad_instruction);
  EXPECT_THAT(outcome.fault, HasSubstr("outside the block's shared memory"));
}

// What the first 256 bytes of the output are, and the copy of some bytes to the second 256.
Words copied(const std::string& copy) {
  const Outcome outcome =
      run_kernel(kernel_of(".shared .align 16 .b8 tile[256];\n"
                           "mov.u32 %r10, tile; shl.b32 %r11, %r0, 2; add.u32 %r11, %r10, %r11; "
                           "setp.eq.u32 %p15, %r0, 0; mul.lo.u32 %r12, %r0, 0x01010101; "
                           "st.shared.u32 [%r11], %r12; bar.sync 0;\n" +
                           copy + " cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"),
                 Words(64), 64, {.block = {64, 1, 1}});
  EXPECT_EQ(outcome.fault, "") << copy;
  return outcome.words;
}
// Bytes 0, 3 and 14 of each 16, of the first `bytes`.
Words with_mask(std::uint32_t mask, std::uint32_t bytes) {
  Words words(64, 0xcdcdcdcd);
  for (std::uint32_t at = 0; at < bytes; ++at) {
    if ((mask >> (at % 16) & 1U) == 0) continue;
    const std::uint32_t shift = at % 4 * 8;
    words[at / 4] = (words[at / 4] & ~(0xffU << shift)) | (at / 4) << shift;
  }
  return words;
}

TEST(BulkCopyOfSomeBytes, LeavesTheOthersAsTheyWere) {
  EXPECT_EQ(copied("@%p15 cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd3], [%r10], 256, "
                   "0x4009;"),
            with_mask(0x4009, 256));
  EXPECT_EQ(copied("mov.u16 %h1, 0x8001; mov.u32 %r5, 48; @%p15 "
                   "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [%rd3], "
                   "[%r10], %r5, %rd3, %h1;"),
            with_mask(0x8001, 48));
  EXPECT_EQ(copied("@%p15 cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd3], [%r10], 32, "
                   "0;"),
            Words(64, 0xcdcdcdcd));
  // Each lane its own 16 bytes by its own mask.
  EXPECT_EQ(
      copied("setp.lt.u32 %p1, %r0, 16; shl.b32 %r5, %r0, 4; add.u32 %r6, %r10, %r5; cvt.u64.u32 "
             "%rd5, %r5; add.s64 %rd5, %rd3, %rd5; mov.u16 %h1, 0xffff; @%p1 "
             "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd5], [%r6], 16, %h1;"),
      with_mask(0xffff, 256));
}

// st.async and red.async that complete by a release, of global memory; no cluster is needed.
TEST(ReleasedAsynchronously, StoresAndReductionsReachGlobalMemory) {
  const auto run_both = [](const std::string& body) {
    const Outcome outcome = run_kernel(kernel_of(body), Words(64, 5), 64, {.block = {64, 1, 1}});
    EXPECT_EQ(outcome.fault, "") << body;
    return outcome.words;
  };
  Words ids(64);
  for (std::uint32_t i = 0; i < 64; ++i) ids[i] = i;
  EXPECT_EQ(run_both("st.async.mmio.release.sys.global.b32 [%rd1], %r0;"), ids);
  EXPECT_EQ(run_both("st.async.release.gpu.u32 [%rd1], %r0;"), ids);
  EXPECT_EQ(run_both("st.global.u32 [%rd1], %r0; red.async.mmio.release.gpu.global.add.u32 [%rd1], "
                     "%r1;")[9],
            14U);
  EXPECT_EQ(run_both("red.async.release.sys.global.min.u32 [%rd3], %r0;")[0], 0U);
  EXPECT_EQ(run_both("red.async.mmio.release.sys.and.b32 [%rd3], 0xff00ff00;")[0], 0xcd00cd00U);
}

TEST(TensorMapCopy, BringsTheWholeMapToGlobalMemory) {
  const Outcome outcome = run_kernel(
      kernel_of(".shared .align 128 .b8 map[128];\n"
                "mov.u32 %r10, map; shl.b32 %r11, %r0, 2; add.u32 %r11, %r10, %r11; "
                "st.shared.u32 [%r11], %r0; bar.sync 0;\n"
                "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
                "aligned [%rd3], [%r10], 128;"),
      Words(32), 48);
  EXPECT_EQ(outcome.fault, "");
  Words expected(48, 0xcdcdcdcd);
  for (std::uint32_t i = 0; i < 32; ++i) expected[i] = i;
  EXPECT_EQ(outcome.words, expected);
}

}  // namespace
}  // namespace emulator::testing
