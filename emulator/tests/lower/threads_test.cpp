// Kernels whose threads run by themselves: functions that call themselves and each other through
// pointers, memory taken from the stack, and warp-wide instructions there.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lower/layout.h"
#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using lower::EngineChoice;
using ::testing::HasSubstr;
using U = std::uint32_t;

std::vector<U> counting(std::size_t count = 32) {
  std::vector<U> words(count);
  for (U i = 0; i < count; ++i) words[i] = i;
  return words;
}

Outcome run(const std::string& functions, const std::string& body, const Grid& grid = {},
            EngineChoice choice = jit::engine_of_environment()) {
  const std::size_t threads = std::size_t{grid.grid[0]} * grid.block[0];
  return run_kernel(kernel_of(body, functions), counting(threads), threads, grid, choice);
}

// A call of `function` with the word in %r1; its result goes to %r3.
std::string call(const std::string& function) {
  return "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), " + function +
         ", (p); ld.param.b32 %r3, [q]; }\n";
}
constexpr const char* kStore = "st.global.u32 [%rd1], %r3;";

constexpr const char* kFibonacci = R"(
.func (.param .b32 out) fib(.param .b32 n) {
  .reg .b32 %r<8>; .reg .pred %p<2>;
  ld.param.u32 %r1, [n]; setp.lt.u32 %p1, %r1, 2; mov.u32 %r3, %r1; @%p1 bra DONE;
  sub.u32 %r4, %r1, 1;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r4; call (b), fib, (a); ld.param.b32 %r5, [b]; }
  sub.u32 %r4, %r1, 2; call (%r6), fib, (%r4);
  add.u32 %r3, %r5, %r6;
  DONE: st.param.b32 [out], %r3; ret;
}
)";

TEST(Recursion, GivesEachLaneItsOwnNumber) {
  const Outcome outcome = run(kFibonacci, "and.b32 %r1, %r1, 15;" + call("fib") + kStore);

  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.unit.value_or(runtime::Unit::thread), runtime::Unit::thread);
  std::vector<U> fib{0, 1};
  while (fib.size() < 16) fib.push_back(fib[fib.size() - 1] + fib[fib.size() - 2]);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], fib[i % 16]) << i;
}

TEST(Recursion, MayGoThroughSeveralFunctions) {
  const std::string functions = R"(
.func (.param .b32 out) odd(.param .b32 n);
.func (.param .b32 out) even(.param .b32 n) {
  .reg .b32 %r<4>; .reg .pred %p<2>; ld.param.u32 %r1, [n]; mov.u32 %r2, 1;
  setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE; sub.u32 %r1, %r1, 1; call (%r2), odd, (%r1);
  DONE: st.param.b32 [out], %r2; ret; }
.func (.param .b32 out) odd(.param .b32 n) {
  .reg .b32 %r<4>; .reg .pred %p<2>; ld.param.u32 %r1, [n]; mov.u32 %r2, 0;
  setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE; sub.u32 %r1, %r1, 1; call (%r2), even, (%r1);
  DONE: st.param.b32 [out], %r2; ret; }
)";
  const Outcome outcome =
      run(functions, call("even") + kStore, {.block = {64, 1, 1}, .stack_bytes = 4096});

  ASSERT_EQ(outcome.fault, "");
  for (U i = 0; i < 64; ++i) EXPECT_EQ(outcome.words[i], i % 2 == 0 ? 1 : 0) << i;
}

// Ackermann's function, which nests deeply: A(2, n) = 2n + 3.
constexpr const char* kAckermann = R"(
.func (.param .b32 out) ack(.param .b32 m, .param .b32 n) {
  .reg .b32 %r<8>; .reg .pred %p<3>;
  ld.param.u32 %r1, [m]; ld.param.u32 %r2, [n];
  setp.ne.u32 %p1, %r1, 0; @%p1 bra MORE; add.u32 %r3, %r2, 1; bra DONE;
  MORE: sub.u32 %r4, %r1, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra BOTH;
  call (%r3), ack, (%r4, 1); bra DONE;
  BOTH: sub.u32 %r5, %r2, 1; call (%r6), ack, (%r1, %r5); call (%r3), ack, (%r4, %r6);
  DONE: st.param.b32 [out], %r3; ret;
}
)";

TEST(Recursion, GoesAsDeepAsTheStackIsLarge) {
  const Outcome outcome = run(kAckermann, std::string("call (%r3), ack, (2, %r1);") + kStore,
                              {.stack_bytes = std::uint64_t{64} << 10});

  ASSERT_EQ(outcome.fault, "");
  for (U i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], 2 * i + 3);
}

TEST(Recursion, WithoutEndIsAFaultThatNamesTheThread) {
  const std::string functions =
      ".func down(.param .b32 n) { .reg .b32 %r<4>; ld.param.u32 %r1, [n]; call down, (%r1); ret; "
      "}\n";
  const Outcome outcome =
      run(functions, "setp.ne.u32 %p1, %r0, 3; @%p1 bra OUT; call down, (%r1); OUT: bar.sync 0;");

  EXPECT_EQ(outcome.kind, runtime::FaultKind::stack);
  EXPECT_THAT(outcome.fault, HasSubstr("call stack exhausted"));
  EXPECT_THAT(outcome.fault, HasSubstr("thread (3,0,0)"));
}

TEST(Recursion, WhoseFramesAreLargeOnTheHostComesToItsEndAsWell) {
  // 2 KB of values live across the call, against 16 bytes of local memory.
  std::string body;
  std::string sum;
  for (int i = 0; i < 256; ++i) {
    body += fmt::format("ld.volatile.shared.u64 %x{}, [words];", i);
    sum += fmt::format("add.u64 %x0, %x0, %x{};", i);
  }
  const std::string functions =
      ".shared .align 8 .b8 words[8];\n.func (.param .b64 out) wide(.param .b32 n) { .reg .b64 "
      "%x<256>; "
      ".reg .b64 %rd<2>; .reg .b32 %r<4>; ld.param.u32 %r1, [n];" +
      body + "call (%rd1), wide, (%r1);" + sum +
      "add.u64 %x0, %x0, %rd1; st.param.b64 [out], %x0; ret; }\n";
  const Outcome outcome = run(functions, "call (%rd5), wide, (%r1);",
                              {.block = {2, 1, 1}, .stack_bytes = std::uint64_t{512} << 10});

  EXPECT_EQ(outcome.kind, runtime::FaultKind::stack);
}

TEST(Recursion, KeepsTheLocalArraysOfEveryActivation) {
  // Each activation fills an array, calls itself, and reads the array again.
  const std::string functions = R"(
.func (.param .b32 out) fill(.param .b32 n) {
  .local .align 4 .b8 a[16]; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<2>;
  ld.param.u32 %r1, [n]; mov.u64 %rd1, a; cvta.local.u64 %rd2, %rd1;
  st.local.u32 [a+4], %r1; mul.lo.u32 %r2, %r1, 100; st.u32 [%rd2+8], %r2;
  mov.u32 %r3, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;
  sub.u32 %r4, %r1, 1; call (%r3), fill, (%r4);
  DONE: ld.local.u32 %r5, [%rd1+8]; ld.u32 %r6, [%rd2+4];
  add.u32 %r3, %r3, %r5; add.u32 %r3, %r3, %r6; st.param.b32 [out], %r3; ret; }
)";
  const Outcome outcome = run(functions, call("fill") + kStore, {.stack_bytes = 4096});

  ASSERT_EQ(outcome.fault, "");
  for (U i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], 101 * (i * (i + 1) / 2)) << i;
}

TEST(Recursion, SharesTheFunctionsSharedVariableAmongItsActivations) {
  // Each activation adds 1 to the thread's cell, which the first one clears.
  const std::string functions = R"(
.func (.param .b32 out) count(.param .b32 n, .param .b32 first) {
  .shared .align 4 .b8 cells[128]; .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p<3>;
  ld.param.u32 %r1, [n]; ld.param.u32 %r2, [first]; mov.u32 %r3, %tid.x; mov.u64 %rd1, cells;
  mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2; setp.ne.u32 %p1, %r2, 0;
  @%p1 st.shared.u32 [%rd3], 0; ld.shared.u32 %r4, [%rd3]; add.u32 %r4, %r4, 1;
  st.shared.u32 [%rd3], %r4; setp.eq.u32 %p2, %r1, 0; @%p2 bra DONE; sub.u32 %r1, %r1, 1;
  call (%r5), count, (%r1, 0);
  DONE: ld.shared.u32 %r4, [%rd3]; st.param.b32 [out], %r4; ret; }
)";
  const Outcome outcome = run(
      functions, "call (%r2), count, (%r1, 1); call (%r3), count, (0, 0);" + std::string(kStore),
      {.stack_bytes = 4096});

  ASSERT_EQ(outcome.fault, "");
  for (U i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], i + 2) << i;
}

TEST(Recursion, PassesPointersIntoTheCallersFrame) {
  const std::string functions = R"(
.func add_up(.param .b64 to, .param .b32 n) {
  .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [n]; ld.u32 %r2, [%rd1]; add.u32 %r2, %r2, %r1;
  st.u32 [%rd1], %r2; setp.eq.u32 %p1, %r1, 0; @%p1 ret;
  sub.u32 %r1, %r1, 1; call add_up, (%rd1, %r1); ret; }
)";
  const Outcome outcome = run(functions,
                              ".local .align 4 .b8 sum[4]; mov.u64 %rd5, sum; st.local.u32 [sum], "
                              "7; cvta.local.u64 %rd6, %rd5; call add_up, (%rd6, %r1); "
                              "ld.local.u32 %r3, [%rd5];" +
                                  std::string(kStore),
                              {.stack_bytes = 4096});

  ASSERT_EQ(outcome.fault, "");
  for (U i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], 7 + i * (i + 1) / 2) << i;
}

TEST(Recursion, EndsWithTheThreadWhereAFunctionExits) {
  const std::string functions = R"(
.func leave(.param .b32 n) {
  .reg .b32 %r<4>; .reg .pred %p<3>; ld.param.u32 %r1, [n];
  setp.eq.u32 %p1, %r1, 4; @%p1 exit; setp.lt.s32 %p2, %r1, 4; @%p2 ret;
  sub.u32 %r1, %r1, 8; call leave, (%r1); ret; }
)";
  const Outcome outcome =
      run(functions, "mov.u32 %r3, %r1; st.global.u32 [%rd1], 99; call leave, (%r1); bar.sync 0;" +
                         std::string(kStore));

  ASSERT_EQ(outcome.fault, "");
  // 4, 12, 20, 28 come down to 4; the others pass below it and return.
  for (U i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], i % 8 == 4 ? 99 : i) << i;
}

constexpr const char* kThree = R"(
.func (.param .b32 out) twice(.param .b32 a) { .reg .b32 %r<4>; ld.param.u32 %r1, [a];
  add.u32 %r2, %r1, %r1; st.param.b32 [out], %r2; ret; }
.func (.param .b32 out) square(.param .b32 a) { .reg .b32 %r<4>; ld.param.u32 %r1, [a];
  mul.lo.u32 %r2, %r1, %r1; st.param.b32 [out], %r2; ret; }
.func (.param .b64 out) wide(.param .b32 a) { .reg .b64 %rd<4>; mov.u64 %rd1, 5;
  st.param.b64 [out], %rd1; ret; }
)";
constexpr const char* kPick =
    "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
    "mov.u64 %rd5, twice; mov.u64 %rd6, square; and.b32 %r4, %r0, 1; setp.eq.u32 %p1, %r4, 1;"
    "selp.b64 %rd7, %rd5, %rd6, %p1;";

TEST(Recursion, SharesTheModulesLocalVariablesAmongFunctions) {
  const std::string functions = R"(
.local .align 4 .b8 depth[4];
.func deeper(.param .b32 n) {
  .local .align 4 .b8 own[4]; .reg .b32 %r<6>; .reg .pred %p<2>; ld.param.u32 %r1, [n];
  st.local.u32 [own], %r1; ld.local.u32 %r2, [depth]; add.u32 %r2, %r2, 1; st.local.u32 [depth], %r2;
  setp.eq.u32 %p1, %r1, 0; @%p1 ret; sub.u32 %r3, %r1, 1; call deeper, (%r3);
  ld.local.u32 %r4, [own]; ld.local.u32 %r2, [depth]; add.u32 %r2, %r2, %r4;
  st.local.u32 [depth], %r2; ret; }
)";
  const Outcome outcome = run(functions,
                              ".local .align 4 .b8 mine[4]; st.local.u32 [mine], 1000; "
                              "st.local.u32 [depth], 0; call deeper, (%r1); ld.local.u32 %r3, "
                              "[depth]; ld.local.u32 %r4, [mine]; add.u32 %r3, %r3, %r4;" +
                                  std::string(kStore),
                              {.stack_bytes = 4096});

  ASSERT_EQ(outcome.fault, "");
  for (U i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], 1000 + i + 1 + i * (i + 1) / 2) << i;
}

TEST(Pointers, CallADifferentFunctionInEachLane) {
  const Outcome outcome = run(kThree, std::string(kPick) + "call (%r3), %rd7, (%r1), P;" + kStore);

  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.unit.value_or(runtime::Unit::thread), runtime::Unit::thread);
  for (U i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], i % 2 == 1 ? 2 * i : i * i) << i;
}

TEST(Pointers, LieInMemoryLikeOtherNumbers) {
  const Outcome outcome = run(
      kThree, std::string(kPick) +
                  ".shared .align 8 .b8 table[256]; mov.u32 %r5, table; shl.b32 %r6, %r0, 3;"
                  "add.u32 %r5, %r5, %r6; st.shared.u64 [%r5], %rd7; ld.shared.u64 %rd8, [%r5];" +
                  "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), %rd8, (p), P; "
                  "ld.param.b32 %r3, [q]; }" +
                  kStore);

  ASSERT_EQ(outcome.fault, "");
  for (U i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], i % 2 == 1 ? 2 * i : i * i) << i;
}

TEST(Pointers, ToNoFunctionAreAFaultThatNamesThem) {
  const Outcome outcome = run(kThree, std::string(kPick) +
                                          "setp.eq.u32 %p2, %r0, 9; selp.b64 %rd7, 4660, %rd7, %p2;"
                                          "call (%r3), %rd7, (%r1), P;" +
                                          kStore);

  EXPECT_EQ(outcome.kind, runtime::FaultKind::bad_call);
  EXPECT_THAT(outcome.fault, HasSubstr("call of 0x1234, which is no function"));
  EXPECT_THAT(outcome.fault, HasSubstr("thread (9,0,0)"));
}

TEST(Pointers, IntoAFunctionAreAFault) {
  const Outcome outcome =
      run(kThree, std::string(kPick) + "add.u64 %rd7, %rd7, 4; call (%r3), %rd7, (%r1), P;");

  EXPECT_THAT(outcome.fault, HasSubstr("which is no function"));
}

TEST(Pointers, ToAFunctionWithOtherResultsAreAFault) {
  const Outcome outcome =
      run(kThree, std::string(kPick) + "mov.u64 %rd7, wide; call (%r3), %rd7, (%r1), P;" + kStore);

  EXPECT_EQ(outcome.kind, runtime::FaultKind::bad_call);
  EXPECT_THAT(outcome.fault, HasSubstr("a function with other parameters"));
}

TEST(Pointers, CannotBeReadThrough) {
  const Outcome outcome = run(kThree, std::string(kPick) + "ld.global.u32 %r3, [%rd7];" + kStore);

  EXPECT_EQ(outcome.kind, runtime::FaultKind::out_of_bounds);
}

TEST(Pointers, CompareEqualWhereFunctionsAreTheSame) {
  const Outcome outcome = run(kThree,
                              std::string(kPick) +
                                  "setp.eq.u64 %p2, %rd7, %rd5;"
                                  "selp.u32 %r3, 1, 0, %p2;" +
                                  kStore,
                              {}, EngineChoice::warps);

  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.unit.value_or(runtime::Unit::warp), runtime::Unit::warp);
  for (U i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], i % 2) << i;
}

TEST(Alloca, TakesWhatEachThreadAsksFor) {
  // Each thread fills as many words as its number says, and sums them up.
  const std::string body = R"(
    mul.wide.u32 %rd5, %r0, 4; alloca.u64 %rd6, %rd5, 16; alloca.u64 %rd7, 8; st.local.u64 [%rd7], %rd5;
    mov.u32 %r2, 0; mov.u64 %rd8, %rd6;
    FILL: setp.ge.u32 %p1, %r2, %r0; @%p1 bra FILLED; st.local.u32 [%rd8], %r2;
    add.u64 %rd8, %rd8, 4; add.u32 %r2, %r2, 1; bra FILL;
    FILLED: mov.u32 %r3, 0; mov.u32 %r2, 0;
    SUM: setp.ge.u32 %p1, %r2, %r0; @%p1 bra DONE; sub.u64 %rd8, %rd8, 4; ld.local.u32 %r4, [%rd8];
    add.u32 %r3, %r3, %r4; add.u32 %r2, %r2, 1; bra SUM;
    DONE: st.global.u32 [%rd1], %r3;)";
  const Outcome outcome = run("", body);

  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.unit.value_or(runtime::Unit::thread), runtime::Unit::thread);
  for (U i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], i * (i - 1) / 2) << i;
}

TEST(Alloca, IsGivenBackToWhereTheStackWasSaved) {
  // 100 times 512 bytes would never fit.
  const std::string body = R"(
    mov.u32 %r2, 0;
    LOOP: stacksave.u64 %rd5; alloca.u64 %rd6, 512; st.local.u32 [%rd6+508], %r2;
    ld.local.u32 %r3, [%rd6+508]; stackrestore.u64 %rd5;
    add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 100; @%p1 bra LOOP;
    st.global.u32 [%rd1], %r3;)";
  const Outcome outcome = run("", body);

  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[31], 99);
}

TEST(Alloca, OfMoreThanThereIsIsAFault) {
  for (const char* size : {"2048", "-1", "0x8000000000000000"}) {
    const Outcome outcome =
        run("", std::string("mov.u64 %rd5, ") + size + "; alloca.u64 %rd6, %rd5;");
    EXPECT_EQ(outcome.kind, runtime::FaultKind::stack) << size;
  }
}

TEST(Alloca, CannotBeGivenBackTwice) {
  const Outcome outcome = run("",
                              "alloca.u64 %rd5, 64; stacksave.u64 %rd6; sub.u64 %rd7, %rd6, 64;"
                              "stackrestore.u64 %rd7; stackrestore.u64 %rd6;");

  EXPECT_EQ(outcome.kind, runtime::FaultKind::stack);
}

TEST(Alloca, LiesBehindWhatFunctionsAreCalledWith) {
  const Outcome outcome = run(
      kFibonacci, "alloca.u64 %rd5, 16; st.local.u32 [%rd5], %r1; mov.u32 %r1, 9;" + call("fib") +
                      "ld.local.u32 %r4, [%rd5]; add.u32 %r3, %r3, %r4;" + kStore);

  ASSERT_EQ(outcome.fault, "");
  for (U i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], 34 + i);
}

TEST(Alloca, UnderAGuardIsTakenInItsLanesOnly) {
  const Outcome outcome = run("",
                              "stacksave.u64 %rd5; setp.lt.u32 %p1, %r0, 5; @%p1 alloca.u64 %rd6, "
                              "64; stacksave.u64 %rd7; sub.u64 %rd8, %rd7, %rd5; "
                              "@%p1 stackrestore.u64 %rd5; cvt.u32.u64 %r3, %rd8;" +
                                  std::string(kStore));

  ASSERT_EQ(outcome.fault, "");
  for (U i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], i < 5 ? 64 : 0) << i;
}

TEST(Alloca, IsRefusedWhereWarpsHaveToRun) {
  EXPECT_THROW(static_cast<void>(run("", "alloca.u64 %rd5, 16;", {}, EngineChoice::warps)),
               ptx::Error);
}

TEST(ThreadBarrier, MayBeReachedByLanesOfAWarpAtDifferentPlaces) {
  const std::string body = R"(
    .shared .align 4 .b8 words[128]; mov.u32 %r5, words; shl.b32 %r6, %r0, 2; add.u32 %r7, %r5, %r6;
    setp.lt.u32 %p1, %r0, 10; @%p1 bra LOW;
    mul.lo.u32 %r2, %r0, 3; st.shared.u32 [%r7], %r2; barrier.sync 0; bra BOTH;
    LOW: st.shared.u32 [%r7], %r0; barrier.sync 0;
    BOTH: xor.b32 %r6, %r6, 124; add.u32 %r7, %r5, %r6; ld.shared.u32 %r3, [%r7];
    st.global.u32 [%rd1], %r3;)";
  const Outcome outcome = run("", body);

  ASSERT_EQ(outcome.fault, "");
  for (U i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], 31 - i < 10 ? 31 - i : 3 * (31 - i)) << i;
}

TEST(ThreadBarrier, ThatLanesNeverReachIsAFaultThatSaysWhereTheyAre) {
  const Outcome outcome = run("",
                              "setp.lt.u32 %p1, %r0, 10; @%p1 bra LOW; barrier.sync 1; bra BOTH;"
                              "LOW: barrier.sync 2; BOTH:");

  EXPECT_EQ(outcome.kind, runtime::FaultKind::barrier);
  EXPECT_THAT(outcome.fault, HasSubstr("barrier 2 can never fill"));
  EXPECT_THAT(outcome.fault, HasSubstr("thread (10,0,0), which waits at barrier 1"));
}

// Lanes of one warp come to two instructions of a kind.
TEST(ThreadCollective, MayBeReachedAtDifferentPlaces) {
  const std::string body = R"(
    setp.lt.u32 %p1, %r0, 10; @%p1 bra LOW;
    add.u32 %r2, %r1, 100; shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; bra BOTH;
    LOW: mov.u32 %r4, 31; shfl.sync.bfly.b32 %r3, %r1, %r4, 31, -1;
    BOTH: st.global.u32 [%rd1], %r3;)";
  const Outcome outcome = run("", body, {}, EngineChoice::threads);

  ASSERT_EQ(outcome.fault, "");
  const auto value = [](U lane) { return lane < 10 ? lane : lane + 100; };
  for (U i = 0; i < 32; ++i) EXPECT_EQ(outcome.words[i], value(i ^ (i < 10 ? 31U : 1U))) << i;
}

TEST(ThreadCollective, InAFunctionThatCallsItself) {
  // Lanes stop at depths of their own, and those that go on vote among themselves.
  const std::string functions = R"(
.func (.param .b32 out) deep(.param .b32 n, .param .b32 mask) {
  .reg .b32 %r<8>; .reg .pred %p<3>; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [mask];
  setp.ne.u32 %p1, %r1, 0; vote.sync.ballot.b32 %r3, %p1, %r2; mov.u32 %r4, 0;
  @!%p1 bra DONE; sub.u32 %r5, %r1, 1; call (%r4), deep, (%r5, %r3); popc.b32 %r6, %r3;
  add.u32 %r4, %r4, %r6;
  DONE: st.param.b32 [out], %r4; ret; }
)";
  const Outcome outcome =
      run(functions, "call (%r3), deep, (%r1, -1);" + std::string(kStore), {.stack_bytes = 4096});

  ASSERT_EQ(outcome.fault, "");
  // Lane i goes on i times, with the lanes from d + 1 on at depth d.
  for (U i = 0; i < 32; ++i) {
    U sum = 0;
    for (U depth = 0; depth < i; ++depth) sum += 31 - depth;
    EXPECT_EQ(outcome.words[i], sum) << i;
  }
}

TEST(ThreadCollective, WithoutALaneThatWaitsElsewhereIsAFault) {
  const Outcome outcome = run("",
                              "setp.eq.u32 %p1, %r0, 4; @%p1 bra LONE; shfl.sync.idx.b32 %r3, %r1, "
                              "0, 31, -1; bra BOTH; LONE: bar.sync 0; BOTH:",
                              {}, EngineChoice::threads);

  EXPECT_EQ(outcome.kind, runtime::FaultKind::barrier);
  EXPECT_THAT(outcome.fault, HasSubstr("missing is thread (4,0,0), which waits at barrier 0"));
}

// What a program calls its registers does not make two votes one.
TEST(ThreadCollective, OfOneKindIsToldByItsWordsAndNotByTheNamesBesideIt) {
  const Outcome outcome = run("",
                              ".reg .pred %vote_x; setp.eq.u32 %vote_x, 0, 0; setp.lt.u32 %p1, "
                              "%r0, 16; @%p1 bra LOW; @%vote_x vote.sync.any.pred %p2, %p1, -1; "
                              "bra BOTH; LOW: @%vote_x vote.sync.all.pred %p2, %p1, -1; BOTH:",
                              {}, EngineChoice::threads);

  EXPECT_EQ(outcome.kind, runtime::FaultKind::barrier);
}

// Sums of 64 words by one warp, as they were written before __syncwarp() was there:
// each lane adds what another one has left, without a barrier between.
std::string volatile_sums(const std::string& space) {
  std::string body =
      ".shared .align 4 .b8 s[256]; mov.u32 %r10, s; mad.lo.u32 %r2, %r62, 4, %r10;"
      "cvt.u64.u32 %rd5, %r2; cvta.shared.u64 %rd6, %rd5;"
      "st.shared.u32 [%r2], %r1; bar.sync 0; mov.u32 %r5, 0;"
      "setp.gt.u32 %p1, %r62, 31; @%p1 bra DONE;";
  const std::string at = space.empty() ? "%rd6" : "%r2";
  for (const U distance : {32U, 16U, 8U, 4U, 2U, 1U}) {
    body += fmt::format(
        "ld.volatile{0}.u32 %r3, [{1}]; ld.volatile{0}.u32 %r4, [{1}+{2}];"
        "add.u32 %r3, %r3, %r4; st.volatile{0}.u32 [{1}], %r3;",
        space, at, 4 * distance);
  }
  return body + "ld.volatile.shared.u32 %r5, [%r10]; DONE: st.global.u32 [%rd1], %r5;";
}

class VolatileSums : public ::testing::TestWithParam<EngineChoice> {};

TEST_P(VolatileSums, AreThoseOfLanesInStep) {
  for (const std::string space : {".shared", ""}) {
    const Outcome outcome =
        run("", volatile_sums(space), {.grid = {3, 1, 1}, .block = {64, 1, 1}}, GetParam());
    ASSERT_EQ(outcome.fault, "");
    for (U i = 0; i < 192; ++i) {
      EXPECT_EQ(outcome.words[i], i % 64 < 32 ? i / 64 * 64 * 64 + 63 * 32 : 0) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, VolatileSums,
                         ::testing::Values(EngineChoice::warps, EngineChoice::threads),
                         [](const auto& each) {
                           return each.param == EngineChoice::warps ? "warps" : "threads";
                         });

}  // namespace
}  // namespace emulator::testing
