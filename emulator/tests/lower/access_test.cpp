// Loads and stores in every pattern the lowering tells apart, and what happens out of bounds.
#include <gtest/gtest.h>

#include <numeric>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using ::testing::Test;

std::vector<std::uint32_t> counting(std::size_t count) {
  std::vector<std::uint32_t> words(count);
  std::iota(words.begin(), words.end(), 1000U);
  return words;
}

// One warp; thread t reads word `index(t)` of the input through a register computed by `code` into
// %r2.
void expect_gather(const std::string& code, const std::function<std::size_t(std::size_t)>& index,
                   const Grid& grid = {.grid = {1, 1, 1}, .block = {64, 1, 1}}) {
  const std::size_t threads = std::size_t{grid.block[0]} * grid.block[1];
  const auto input = counting(4096);
  const Outcome outcome =
      run_kernel(kernel_of("mov.u32 %r40, %tid.y; mad.lo.u32 %r41, %r40, %r61, %r0; mul.wide.u32 "
                           "%rd8, %r41, 4; add.s64 %rd8, %rd3, %rd8;" +
                           code +
                           "mul.wide.u32 %rd5, %r2, 4; add.s64 %rd6, %rd2, %rd5; ld.global.u32 "
                           "%r3, [%rd6]; st.global.u32 [%rd8], %r3;"),
                 input, threads, grid);
  ASSERT_EQ(outcome.fault, "");
  for (std::size_t t = 0; t < threads; ++t)
    ASSERT_EQ(outcome.words[t], input[index(t)]) << "thread " << t;
}

TEST(Access, OfAVariableWithoutAStateSpaceIsInTheVariables) {
  const Outcome outcome = run_kernel(
      kernel_of(
          ".local .align 4 .b32 own[2]; st.u32 [own+4], %r0; ld.u32 %r2, [own+4]; setp.eq.u32 "
          "%p1, %r0, 0; @%p1 st.u32 [common], 5; bar.sync 0; atom.add.u32 %r3, [common], 1; "
          "red.add.u32 [everywhere], 1; bar.sync 0; ld.u32 %r4, [common]; ld.u32 %r5, "
          "[everywhere]; mad.lo.u32 %r6, %r4, 1000, %r2; mad.lo.u32 %r6, %r5, 1000000, %r6; "
          "st.global.u32 [%rd1], %r6;",
          ".shared .u32 common;\n.global .u32 everywhere = 3;\n"),
      counting(64), 64, {.grid = {1, 1, 1}, .block = {64, 1, 1}});
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(outcome.words[t], 67'069'000 + t);
}
// What is left of an index that begins at -1: the sum of the register and the offset wraps around.
TEST(Access, A32BitAddressWrapsAround) {
  const Outcome outcome = run_kernel(
      kernel_of(
          "mov.u32 %r2, own; mov.u32 %r3, -256; mad.lo.u32 %r3, %r0, 4, %r3; add.u32 %r3, "
          "%r3, %r2; st.shared.u32 [%r3+256], %r0; atom.shared.add.u32 %r4, [%r3+256], 5; "
          "bar.sync 0; mov.u32 %r5, -64; add.u32 %r5, %r5, %r2; ld.shared.u32 %r6, [%r5+76]; "
          "ld.shared.v2.u32 {%r7, %r8}, [%r5+64]; mad.lo.u32 %r6, %r6, 1000, %r8; st.global.u32 "
          "[%rd1], %r6;",
          ".shared .align 8 .b8 own[256];\n"),
      counting(64), 64, {.grid = {1, 1, 1}, .block = {64, 1, 1}});
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(outcome.words[t], 8006U);
}
TEST(Access, OneAddressForAllLanes) {
  expect_gather("mov.u32 %r2, 17;", [](std::size_t) { return 17U; });
}
TEST(Access, ConsecutiveAddresses) {
  expect_gather("add.u32 %r2, %r0, 5;", [](std::size_t t) { return t + 5; });
}
TEST(Access, DescendingAddresses) {
  expect_gather("mov.u32 %r3, 100; sub.u32 %r2, %r3, %r0;", [](std::size_t t) { return 100 - t; });
}
TEST(Access, StridedAddresses) {
  expect_gather("mul.lo.u32 %r2, %r0, 37;", [](std::size_t t) { return t * 37; });
}
TEST(Access, TwoRowsOfSixteen) {
  expect_gather("mul.lo.u32 %r3, %r40, 256; add.u32 %r2, %r3, %r0;",
                [](std::size_t t) { return t / 16 * 256 + t % 16; },
                {.grid = {1, 1, 1}, .block = {16, 4, 1}});
}
TEST(Access, ABlockWhoseRowsDoNotDivideAWarp) {
  expect_gather("mul.lo.u32 %r3, %r40, 100; add.u32 %r2, %r3, %r0;",
                [](std::size_t t) { return t / 24 * 100 + t % 24; },
                {.grid = {1, 1, 1}, .block = {24, 5, 1}});
}
TEST(Access, AddressesFromMemory) {
  // The input holds 1000, 1001, ..; reading input[input[t] - 990] is reading word t + 10.
  expect_gather("sub.u32 %r2, %r1, 990;", [](std::size_t t) { return t + 10; });
}
TEST(Access, ScatteredAddresses) {
  expect_gather("mul.lo.u32 %r2, %r1, 2654435761; and.b32 %r2, %r2, 4095;", [](std::size_t t) {
    return (std::uint32_t{1000} + static_cast<std::uint32_t>(t)) * 2654435761U & 4095U;
  });
}
TEST(Access, AnIndexThatWrapsAround32Bits) {
  // -3 + t as an unsigned number, then back by adding 3: only lanes computed one by one get this
  // right.
  expect_gather(
      "add.u32 %r3, %r1, -1003; cvt.u64.u32 %rd9, %r3; add.u64 %rd9, %rd9, 3; cvt.u32.u64 %r2, "
      "%rd9;",
      [](std::size_t t) { return t; });
}

TEST(Access, VectorsOfFourAreLoadedAndStoredInOrder) {
  const auto input = counting(128);
  const Outcome outcome = run_kernel(
      kernel_of("mul.wide.u32 %rd5, %r0, 16; add.s64 %rd6, %rd2, %rd5; add.s64 %rd7, %rd3, %rd5;"
                "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd6]; st.global.v4.u32 [%rd7], {%r5, "
                "%r4, %r3, %r2};"),
      input, 128);
  ASSERT_EQ(outcome.fault, "");
  for (std::size_t i = 0; i < 128; ++i) EXPECT_EQ(outcome.words[i], input[i / 4 * 4 + 3 - i % 4]);
}

TEST(Access, BytesAreExtendedAsTheirTypeSays) {
  const std::vector<std::uint32_t> input(32, 0x80ff7f01);
  const Outcome outcome =
      run_kernel(kernel_of("ld.global.s8 %r2, [%rd0+3]; ld.global.u8 %r3, [%rd0+2]; shl.b32 %r3, "
                           "%r3, 16; xor.b32 %r2, %r2, %r3;"
                           "st.global.u32 [%rd1], %r2;"),
                 input, 32);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[9], 0xffffff80U ^ 0x00ff0000U);
}

TEST(Access, LocalArraysBelongToEachThread) {
  const std::string body = R"(
    .local .align 4 .b8 frame[32];
    mov.u64 %rd5, frame; cvta.local.u64 %rd6, %rd5;
    and.b32 %r2, %r1, 7; mul.wide.u32 %rd7, %r2, 4; add.s64 %rd8, %rd5, %rd7; add.s64 %rd9, %rd6, %rd7;
    st.local.u32 [%rd8], %r1; ld.u32 %r3, [%rd9]; add.u32 %r3, %r3, 1; st.u32 [%rd9], %r3; ld.local.u32 %r4, [%rd8];
    st.global.u32 [%rd1], %r4;)";
  const auto input = counting(64);
  const Outcome outcome =
      run_kernel(kernel_of(body), input, 64, {.grid = {1, 1, 1}, .block = {64, 1, 1}});
  ASSERT_EQ(outcome.fault, "");
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(outcome.words[i], input[i] + 1);
}

TEST(Access, GenericAddressesReachSharedMemory) {
  const std::string body = R"(
    .shared .align 8 .b8 tile[128];
    mov.u64 %rd5, tile; cvta.shared.u64 %rd6, %rd5; and.b32 %r2, %r0, 31; mul.wide.u32 %rd7, %r2, 4;
    add.s64 %rd8, %rd6, %rd7; st.u32 [%rd8], %r1; cvta.to.shared.u64 %rd9, %rd8; ld.shared.u32 %r3, [%rd9];
    st.global.u32 [%rd1], %r3;)";
  const auto input = counting(32);
  const Outcome outcome = run_kernel(kernel_of(body), input, 32);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words, input);
}

TEST(Access, ConstantsAreReadFromTheModule) {
  const Outcome outcome =
      run_kernel(kernel_of("and.b32 %r2, %r0, 3; mul.wide.u32 %rd5, %r2, 4; mov.u64 %rd6, table; "
                           "add.s64 %rd6, %rd6, %rd5;"
                           "ld.const.u32 %r3, [%rd6]; st.global.u32 [%rd1], %r3;",
                           ".const .align 4 .u32 table[4] = {11, 22, 33, 44};"),
                 counting(32), 32);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[6], 33U);
}

TEST(Access, AtomicAdditionsOfAllThreadsAddUp) {
  const Outcome outcome =
      run_kernel(kernel_of("st.global.u32 [%rd1], 0; red.global.add.u32 [counter], 3; bar.sync 0;"
                           "ld.global.u32 %r3, [counter]; st.global.u32 [%rd1], %r3;",
                           ".global .align 4 .u32 counter;"),
                 counting(256), 256, {.grid = {1, 1, 1}, .block = {256, 1, 1}});
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[200], 768U);
}

void expect_fault(const std::string& body, runtime::FaultKind kind, const std::string& words,
                  const Grid& grid = {}) {
  const Outcome outcome = run_kernel(kernel_of(body), counting(64), 64, grid);
  ASSERT_NE(outcome.fault, "") << body;
  EXPECT_EQ(outcome.kind, kind) << outcome.fault;
  EXPECT_NE(outcome.fault.find(words), std::string::npos) << outcome.fault;
}

TEST(Bounds, AStoreOneElementPastTheEndNamesThreadAndInstruction) {
  expect_fault("st.global.u32 [%rd1+132], %r1;", runtime::FaultKind::out_of_bounds,
               "thread (31,0,0)");
  expect_fault("st.global.u32 [%rd1+132], %r1;", runtime::FaultKind::out_of_bounds,
               "st.global.u32 [%rd1+132], %r1");
}
TEST(Bounds, ALoadBeforeTheBeginningIsFound) {
  expect_fault("ld.global.u32 %r2, [%rd0+-4]; st.global.u32 [%rd1], %r2;",
               runtime::FaultKind::out_of_bounds, "thread (0,0,0)");
}
TEST(Bounds, AUniformLoadThroughNullIsFound) {
  expect_fault("mov.u64 %rd5, 0; ld.global.u32 %r2, [%rd5]; st.global.u32 [%rd1], %r2;",
               runtime::FaultKind::out_of_bounds, "0x0");
}
TEST(Bounds, AMisalignedLoadIsFound) {
  expect_fault("ld.global.u32 %r2, [%rd0+2]; st.global.u32 [%rd1], %r2;",
               runtime::FaultKind::misaligned, "ld.global");
}
TEST(Bounds, SharedMemoryEndsWhereItsSizeSays) {
  expect_fault(
      ".shared .align 4 .b8 tile[64]; mov.u32 %r2, tile; shl.b32 %r3, %r0, 2; add.u32 %r2, %r2, "
      "%r3;"
      "st.shared.u32 [%r2], %r1;",
      runtime::FaultKind::out_of_bounds, "thread (16,0,0)");
}
TEST(Bounds, LocalMemoryEndsWhereTheFrameDoes) {
  expect_fault(
      ".local .align 16 .b8 frame[16]; mov.u64 %rd5, frame; mul.wide.u32 %rd6, %r0, 4; add.s64 "
      "%rd5, %rd5, %rd6;"
      "st.local.u32 [%rd5], %r1;",
      runtime::FaultKind::out_of_bounds, "thread (4,0,0)");
}
TEST(Bounds, LanesThatDoNotRunMayHaveAnyAddress) {
  const Outcome outcome =
      run_kernel(kernel_of("mul.wide.u32 %rd5, %r0, 4096; add.s64 %rd6, %rd2, %rd5; setp.eq.u32 "
                           "%p1, %r0, 0; mov.u32 %r2, 5;"
                           "@%p1 ld.global.u32 %r2, [%rd6]; st.global.u32 [%rd1], %r2;"),
                 counting(32), 32);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[0], 1000U);
  EXPECT_EQ(outcome.words[1], 5U);
}
TEST(Bounds, TrapIsItsOwnKindOfFault) {
  expect_fault("setp.eq.u32 %p1, %r0, 3; @%p1 trap;", runtime::FaultKind::trap, "thread (3,0,0)");
}

}  // namespace
}  // namespace emulator::testing
