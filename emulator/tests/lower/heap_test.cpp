// malloc and free of kernels, by warps and by threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using lower::EngineChoice;
using ::testing::HasSubstr;
using U = std::uint32_t;

constexpr const char* kDeclarations =
    ".extern .func (.param .b64 block) malloc (.param .b64 bytes);\n"
    ".extern .func free (.param .b64 block);\n";

// %rd6 = malloc(%rd5)
const std::string kMalloc =
    "{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd5; call (b), malloc, (a); "
    "ld.param.b64 %rd6, [b]; }\n";
std::string free(const std::string& pointer) {
  return "{ .param .b64 a; st.param.b64 [a], " + pointer + "; call free, (a); }\n";
}

class Heap : public ::testing::TestWithParam<EngineChoice> {
 protected:
  static Outcome run(const std::string& body) {
    return run_kernel(kernel_of(body, kDeclarations), std::vector<U>(64, 5), 64,
                      {.block = {64, 1, 1}}, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Engine, Heap,
                         ::testing::Values(EngineChoice::warps, EngineChoice::threads),
                         [](const auto& tested) {
                           return tested.param == EngineChoice::warps ? "Warps" : "Threads";
                         });

// Each thread reads what another one of the block has written.
TEST_P(Heap, GivesEachThreadABlockThatOthersMayUse) {
  const Outcome outcome = run(R"(
    .shared .align 8 .b8 pointers[512];
    and.b32 %r2, %r0, 7; mad.lo.u32 %r2, %r2, 4, 4; cvt.u64.u32 %rd5, %r2;)" +
                              kMalloc + R"(
    and.b64 %rd7, %rd6, 15; setp.ne.u64 %p1, %rd7, 0; @%p1 trap;
    mul.lo.u32 %r3, %r0, 77; cvt.u64.u32 %rd8, %r2; add.u64 %rd8, %rd6, %rd8;
    st.u32 [%rd8+-4], %r3;
    mov.u32 %r4, pointers; mad.lo.u32 %r5, %r0, 8, %r4; st.shared.u64 [%r5], %rd8;
    bar.sync 0;
    xor.b32 %r6, %r0, 37; mad.lo.u32 %r5, %r6, 8, %r4; ld.shared.u64 %rd8, [%r5];
    ld.global.u32 %r7, [%rd8+-4]; st.global.u32 [%rd1], %r7;
    bar.sync 0;)" + free("%rd6"));

  ASSERT_EQ(outcome.fault, "");
  for (U t = 0; t < 64; ++t) EXPECT_EQ(outcome.words[t], (t ^ 37U) * 77);
}

TEST_P(Heap, GivesMemoryToThoseWhoAskForIt) {
  const Outcome outcome = run(R"(
    mov.u64 %rd6, 0; and.b32 %r2, %r0, 3; setp.ne.u32 %p1, %r2, 1; mov.u64 %rd5, 16;
    @%p1 bra JOIN;)" + kMalloc +
                              R"(
    JOIN: setp.ne.u64 %p2, %rd6, 0; selp.u32 %r3, 1, 0, %p2; st.global.u32 [%rd1], %r3;)" +
                              free("%rd6"));

  ASSERT_EQ(outcome.fault, "");
  for (U t = 0; t < 64; ++t) EXPECT_EQ(outcome.words[t], t % 4 == 1 ? 1 : 0);
}

TEST_P(Heap, GivesNullWhereItIsFull) {
  const Outcome outcome = run("mov.u64 %rd5, 1000000;" + kMalloc + R"(
    setp.ne.u64 %p2, %rd6, 0; selp.u32 %r3, 1, 0, %p2; st.global.u32 [%rd1], %r3;)");

  ASSERT_EQ(outcome.fault, "");
  // Of 8 MiB.
  EXPECT_EQ(std::ranges::count(outcome.words, 1), 8);
}

TEST_P(Heap, GivesMemoryThatWasFreedOutAgain) {
  const Outcome outcome = run(R"(
    mov.u64 %rd5, 100000; mov.u32 %r2, 0; mov.u32 %r3, 0;
    LOOP:)" + kMalloc + R"(
    setp.ne.u64 %p2, %rd6, 0; selp.u32 %r4, 1, 0, %p2; add.u32 %r3, %r3, %r4;)" +
                              free("%rd6") + R"(
    add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 20; @%p1 bra LOOP;
    st.global.u32 [%rd1], %r3;)");

  ASSERT_EQ(outcome.fault, "");
  for (U t = 0; t < 64; ++t) EXPECT_EQ(outcome.words[t], 20);
}

TEST_P(Heap, IsGuardedAgainstStoresBehindABlock) {
  const Outcome outcome = run("mov.u64 %rd5, 24;" + kMalloc + "st.global.u32 [%rd6+24], 1;");

  EXPECT_EQ(outcome.kind, runtime::FaultKind::out_of_bounds);
  EXPECT_THAT(outcome.fault,
              HasSubstr("right behind the end of a 24-byte block of the device heap"));
}

// Also where the same instruction has just loaded from there.
TEST_P(Heap, IsGuardedAgainstLoadsFromWhatWasFreed) {
  const Outcome outcome = run(R"(
    .shared .align 8 .b8 place[8]; mov.u64 %rd5, 24; mov.u32 %r2, 0;
    setp.ne.u32 %p3, %r0, 0; @%p3 bra MADE;)" +
                              kMalloc + R"(st.shared.u64 [place], %rd6;
    MADE: bar.sync 0; ld.shared.u64 %rd6, [place];
    LOOP: ld.global.u32 %r3, [%rd6+8]; bar.sync 0; @%p3 bra FREED;)" +
                              free("%rd6") + R"(
    FREED: bar.sync 0; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 2; @%p1 bra LOOP;)");

  EXPECT_EQ(outcome.kind, runtime::FaultKind::out_of_bounds);
  EXPECT_THAT(outcome.fault,
              HasSubstr("8 bytes into a 24-byte block of the device heap that has been freed"));
}

TEST_P(Heap, RefusesToFreeABlockTwice) {
  const Outcome outcome =
      run("mov.u64 %rd5, 24;" + kMalloc + free("%rd6") + free("%rd6") + "st.global.u32 [%rd1], 1;");

  EXPECT_EQ(outcome.kind, runtime::FaultKind::out_of_bounds);
  EXPECT_THAT(outcome.fault, HasSubstr("where no block of malloc begins (0 bytes into a 24-byte "
                                       "block of the device heap that has been freed), by thread"));
}

TEST_P(Heap, RefusesToFreeWhatIsNotOfIt) {
  const Outcome outcome = run(free("%rd1"));

  EXPECT_EQ(outcome.kind, runtime::FaultKind::out_of_bounds);
  EXPECT_THAT(outcome.fault, HasSubstr("inside a 256-byte allocation"));
}

TEST_P(Heap, FreesNullWithoutAWord) {
  const Outcome outcome = run("mov.u64 %rd6, 0;" + free("%rd6") + "st.global.u32 [%rd1], 1;");

  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[63], 1);
}

}  // namespace
}  // namespace emulator::testing
