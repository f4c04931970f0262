// Calls of device functions.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "lower/kernel.h"
#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

std::vector<std::uint32_t> inputs() {
  std::vector<std::uint32_t> words(32);
  for (std::uint32_t i = 0; i < 32; ++i) words[i] = 3 * i + 1;
  return words;
}

std::vector<std::uint32_t> run(const std::string& functions, const std::string& body) {
  const Outcome outcome =
      run_kernel(kernel_of(body + " st.global.u32 [%rd1], %r3;", functions), inputs(), 32);
  EXPECT_EQ(outcome.fault, "");
  return outcome.words;
}

constexpr const char* kDouble =
    ".func (.param .b32 out) twice(.param .b32 a)\n{ .reg .b32 %r<4>; ld.param.u32 %r1, [a]; "
    "add.u32 %r2, %r1, %r1; st.param.b32 [out+0], %r2; ret; }\n";
constexpr const char* kCallDouble =
    "{ .param .b32 p; .param .b32 q; st.param.b32 [p+0], %r1; call.uni (q), twice, (p); "
    "ld.param.b32 %r3, [q+0]; }";

TEST(Call, PassesAnArgumentAndAResult) {
  const auto got = run(kDouble, kCallDouble);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], 2 * inputs()[i]);
}
TEST(Call, MayTakeRegistersAndConstantsThemselves) {
  const std::string sum =
      ".func (.param .f32 out) sum(.param .f32 a, .param .f32 b)\n{ .reg .f32 %f<4>; ld.param.f32 "
      "%f1, [a]; ld.param.f32 %f2, [b]; add.f32 %f3, %f1, %f2; st.param.f32 [out], %f3; ret; }\n";
  const auto got =
      run(sum, "cvt.rn.f32.u32 %f1, %r1; call (%f2), sum, (%f1, 1.5); mov.b32 %r3, %f2;");
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(std::bit_cast<float>(got[i]), static_cast<float>(inputs()[i]) + 1.5F);
  }
}
TEST(Call, OfAFunctionThatCallsAnotherHasRegistersOfItsOwn) {
  const std::string functions = std::string(kDouble) +
                                ".func (.param .b32 out) four(.param .b32 a)\n{ .reg .b32 %r<4>; "
                                "ld.param.u32 %r1, [a]; mov.u32 %r3, %r1; " +
                                kCallDouble +
                                " add.u32 %r3, %r3, %r1; st.param.b32 [out], %r3; ret; }\n";
  const auto got = run(functions,
                       "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), four, (p);"
                       "ld.param.b32 %r3, [q]; add.u32 %r3, %r3, %r1; }");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], 4 * inputs()[i]);
}
TEST(Call, ReturnsFromDifferentPlacesInDifferentLanes) {
  const std::string functions =
      ".func (.param .b32 out) pick(.param .b32 a)\n{ .reg .b32 %r<4>; .reg .pred %p<2>; "
      "ld.param.u32 %r1, [a]; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra EVEN;"
      "st.param.b32 [out], 111; ret; EVEN: st.param.b32 [out], 222; ret; }\n";
  const auto got = run(functions,
                       "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), pick, (p);"
                       "ld.param.b32 %r3, [q]; }");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], inputs()[i] % 2 == 0 ? 222U : 111U);
}
TEST(Call, UnderAGuardHappensInItsLanesOnly) {
  const auto got = run(kDouble,
                       "mov.u32 %r3, 7; setp.lt.u32 %p1, %r0, 5; { .param .b32 p; .param .b32 q; "
                       "st.param.b32 [p], %r1; mov.u32 %r3, 9; @%p1 call (q), twice, (p); "
                       "ld.param.b32 %r4, [q]; selp.u32 %r3, %r4, %r3, %p1; }");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], i < 5 ? 2 * inputs()[i] : 9);
}
TEST(Call, InALoopHappensEachTime) {
  const auto got = run(
      kDouble, std::string("mov.u32 %r4, 0; mov.u32 %r3, %r1; LOOP: mov.u32 %r1, "
                           "%r3; ") +
                   kCallDouble + " add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 3; @%p1 bra LOOP;");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], 8 * inputs()[i]);
}
TEST(Call, PassesStructuresWrittenAndReadInDifferentPieces) {
  const std::string functions =
      ".func (.param .align 8 .b8 out[16]) swap(.param .align 8 .b8 a[16])\n{ .reg .b64 %rd<4>; "
      "ld.param.b64 %rd1, [a]; ld.param.b64 %rd2, [a+8]; st.param.v2.b64 [out], {%rd2, %rd1}; ret; "
      "}\n";
  const auto got =
      run(functions,
          "{ .param .align 8 .b8 p[16]; .param .align 8 .b8 q[16];"
          "st.param.v2.b32 [p], {%r0, %r1}; st.param.b32 [p+8], 5; st.param.b32 [p+12], "
          "%r1; call (q), swap, (p); ld.param.b8 %r4, [q]; ld.param.b32 %r5, [q+12]; "
          "mad.lo.u32 %r3, %r5, 16, %r4; }");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], inputs()[i] * 16 + 5);
}
TEST(Call, LetsAFunctionTakeTheAddressOfItsParameter) {
  const std::string functions =
      ".func (.param .b32 out) at(.param .align 4 .b8 a[8], .param .b32 i)\n{ .reg .b32 %r<4>; "
      ".reg "
      ".b64 %rd<4>; ld.param.u32 %r1, [i]; mov.u64 %rd1, a; mul.wide.u32 %rd2, %r1, 4; add.u64 "
      "%rd3, "
      "%rd1, %rd2; ld.local.u32 %r2, [%rd3]; st.param.b32 [out], %r2; ret; }\n";
  const auto got =
      run(functions,
          "{ .param .align 4 .b8 p[8]; .param .b32 n; .param .b32 q; st.param.b32 [p], "
          "%r1; st.param.b32 [p+4], 100; and.b32 %r4, %r0, 1; st.param.b32 [n], %r4; "
          "call (q), at, (p, n); ld.param.b32 %r3, [q]; }");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], i % 2 == 1 ? 100 : inputs()[i]);
}
TEST(Call, GivesEachCopyOfAFunctionLocalMemory) {
  const std::string functions =
      ".func (.param .b32 out) roundabout(.param .b32 a)\n{ .local .align 4 .b8 depot[8]; .reg "
      ".b32 "
      "%r<4>; .reg .b64 %rd<4>; ld.param.u32 %r1, [a]; mov.u64 %rd1, depot; cvta.local.u64 %rd2, "
      "%rd1; st.u32 [%rd2+4], %r1; ld.local.u32 %r2, [%rd1+4]; st.param.b32 [out], %r2; ret; }\n";
  const std::string call =
      "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), roundabout, (p); "
      "ld.param.b32 %r3, [q]; }";
  const auto got = run(functions, call + "mov.u32 %r4, %r3; add.u32 %r1, %r1, 1;" + call +
                                      "mad.lo.u32 %r3, %r3, 1000, %r4;");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], (inputs()[i] + 1) * 1000 + inputs()[i]);
}
TEST(Call, HandsOverVectorsAndPredicatesInRegisters) {
  const std::string functions =
      ".func (.reg .v2 .b32 out, .reg .pred odd) halves(.reg .v2 .b32 a, .reg .pred swap)\n{ .reg "
      ".b32 t; and.b32 t, a.x, 1; setp.ne.u32 odd, t, 0; mov.u32 out.x, a.x; mov.u32 out.y, a.y; "
      "@!swap ret; mov.u32 out.x, a.y; mov.u32 out.y, a.x; ret; }\n";
  const auto got = run(functions,
                       ".reg .v2 .b32 v; .reg .v2 .b32 w; mov.u32 v.x, %r1; mov.u32 v.y, %r0; "
                       "setp.lt.u32 %p1, %r0, 16; call (w, %p2), halves, (v, %p1); "
                       "mad.lo.u32 %r3, w.x, 1000, w.y; @%p2 add.u32 %r3, %r3, 1000000;");
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint32_t x = inputs()[i];
    const std::uint32_t pair = i < 16 ? i * 1000 + x : x * 1000 + i;
    EXPECT_EQ(got[i], x % 2 == 1 ? pair + 1'000'000 : pair);
  }
}
TEST(Call, UnderAGuardLeavesAPredicateOfTheOthersAlone) {
  const std::string functions =
      ".func (.reg .pred yes) always()\n{ setp.eq.u32 yes, 0, 0; ret; }\n";
  const auto got = run(functions,
                       "setp.lt.u32 %p1, %r0, 8; setp.gt.u32 %p2, %r0, 24; @%p1 call (%p2), "
                       "always; selp.u32 %r3, 1, 0, %p2;");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], i < 8 || i > 24 ? 1U : 0U);
}
TEST(Call, OfAFunctionThatCallsItselfIsRefusedWithItsLineWhereWarpsHaveToRun) {
  const std::string functions =
      ".func f(.param .b32 a)\n{ .param .b32 p; .reg .b32 %r<4>; ld.param.u32 %r1, [a]; "
      "st.param.b32 [p], %r1;\ncall f, (p); ret; }\n";
  const std::string ptx =
      kernel_of("{ .param .b32 p; st.param.b32 [p], %r1; call f, (p); }", functions);
  try {
    static_cast<void>(run_kernel(ptx, {1}, 32, {}, lower::EngineChoice::warps));
    FAIL() << "accepted";
  } catch (const ptx::Error& error) {
    EXPECT_NE(std::string(error.what()).find("'f' calls itself"), std::string::npos);
    EXPECT_EQ(error.where().line, 6U) << ptx;
  }
}

// Writes `a` to the thread's cell of a static array where `w` is not 0, and reads it.
std::string cell_of(const std::string& name, const std::string& space) {
  return ".func (.param .b32 out) " + name + "(.param .b32 a, .param .b32 w)\n{ ." + space +
         " .align 4 .b8 cells[128]; .reg .b32 %r<5>; .reg .b64 %rd<4>; .reg .pred %p<2>; "
         "ld.param.u32 %r1, [a]; ld.param.u32 %r2, [w]; mov.u32 %r3, %tid.x; mov.u64 %rd1, cells; "
         "mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2; setp.ne.u32 %p1, %r2, 0; "
         "@%p1 st." +
         space + ".u32 [%rd3], %r1; ld." + space +
         ".u32 %r4, [%rd3]; st.param.b32 [out], %r4; "
         "ret; }\n";
}
TEST(Call, MeansTheSameSharedVariableEachTime) {
  const auto got = run(cell_of("cell", "shared"),
                       "call (%r2), cell, (%r1, 1); add.u32 %r4, %r1, 50; call (%r5), cell, (%r4, "
                       "1); call (%r3), cell, (0, 0);");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], inputs()[i] + 50);
}
TEST(Call, ThroughAnotherFunctionMeansTheSameSharedVariable) {
  const std::string other =
      ".func (.param .b32 out) other(.param .b32 a)\n{ .reg .b32 %r<3>; ld.param.u32 %r1, [a]; "
      "call (%r2), cell, (%r1, 1); st.param.b32 [out], %r2; ret; }\n";
  const auto got =
      run(cell_of("cell", "shared") + other, "call (%r2), other, (%r1); call (%r3), cell, (0, 0);");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], inputs()[i]);
}
TEST(Call, MeansOtherSharedVariablesInOtherFunctions) {
  const auto got =
      run(cell_of("cell", "shared") + cell_of("another", "shared"),
          ".shared .align 4 .b8 cells[128]; mov.u64 %rd5, cells; add.u64 %rd5, %rd5, %rd4; "
          "call (%r2), cell, (%r1, 1); call (%r2), another, (700, 1); st.shared.u32 [%rd5], 900; "
          "bar.sync 0; call (%r3), cell, (0, 0); call (%r4), another, (0, 0); ld.shared.u32 %r5, "
          "[%rd5]; add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5;");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], inputs()[i] + 1600);
}
TEST(Call, MeansTheSameGlobalVariableOfAFunctionEachTime) {
  const auto got =
      run(cell_of("cell", "global"), "call (%r2), cell, (%r1, 1); call (%r3), cell, (0, 0);");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], inputs()[i]);
}
// ptxas: what functions declare counts, whether it is used or not, and once however often they are
// called.
TEST(Call, AddsToTheBlocksSharedMemoryOnceHoweverOftenItHappens) {
  const std::string calls(
      "call (%r2), cell, (%r1, 1); call (%r3), cell, (%r2, 0); call (%r3), cell, (%r2, 1);");
  const ptx::Module module =
      ptx::parse(kernel_of(calls + ".shared .b8 unused[512];", cell_of("cell", "shared")));
  const ptx::Function& kernel = *module.find_function("k");
  for (const auto engine : {lower::EngineChoice::warps, lower::EngineChoice::threads}) {
    EXPECT_EQ(lower::layout_of(module, kernel, engine).static_shared_bytes, 640U);
  }
}
TEST(Call, WhoseResultLandsInItsArgumentReadsTheArgumentAsItWas) {
  const std::string functions =
      ".func (.param .b32 out) next(.param .b32 a)\n{ .reg .b32 %r<3>; st.param.b32 [out], 77; "
      "ld.param.u32 %r1, [a]; add.u32 %r2, %r1, 1; st.param.b32 [out], %r2; ret; }\n";
  const auto got = run(functions,
                       "{ .param .b32 p; st.param.b32 [p], %r1; call (p), next, (p); call (p), "
                       "next, (p); ld.param.b32 %r3, [p]; }");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], inputs()[i] + 2);
}
TEST(Call, OfAFunctionThatWritesItsParameterLeavesTheCallersAlone) {
  const std::string functions =
      ".func (.param .b32 out) add(.param .align 4 .b8 a[12])\n{ .reg .b32 %r<3>; .reg .b64 "
      "%rd<2>; mov.u64 %rd1, a; ld.local.u32 %r1, [%rd1+8]; add.u32 %r2, %r1, 5; st.local.u32 "
      "[%rd1+8], %r2; ld.local.u32 %r1, [%rd1+8]; st.param.b32 [out], %r1; ret; }\n";
  const auto got =
      run(functions,
          "{ .param .align 4 .b8 p[12]; .param .b32 q; st.param.b32 [p], 1; st.param.b32 [p+4], 2; "
          "st.param.b32 [p+8], %r1; call (q), add, (p); call (q), add, (p); ld.param.b32 %r3, [q]; "
          "}");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], inputs()[i] + 5);
}
TEST(Call, BranchesThroughATableWithinItsFunctionEachTime) {
  const std::string functions =
      ".func (.param .b32 out) pick(.param .b32 a)\n{ .reg .b32 %r<4>; ld.param.u32 %r1, [a]; "
      "and.b32 %r2, %r1, 1; TABLE: .branchtargets EVEN, ODD; brx.idx %r2, TABLE; EVEN: mov.u32 "
      "%r3, 10; bra.uni DONE; ODD: mov.u32 %r3, 20; DONE: st.param.b32 [out], %r3; ret; }\n";
  const auto got = run(functions,
                       "call (%r2), pick, (%r1); add.u32 %r4, %r1, 1; call (%r5), pick, (%r4); "
                       "mad.lo.u32 %r3, %r2, 100, %r5;");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], inputs()[i] % 2 == 0 ? 1020U : 2010U);
}
// Where warps run, each call is a copy, and lanes that name others in a copy of their own miss
// them: that is a fault, and never a wrong result.
TEST(Call, FromTwoPlacesReachesOneShuffleWhereThreadsRunAndIsAFaultWhereWarpsDo) {
  const std::string functions =
      ".func (.param .b32 out) mirror(.param .b32 a)\n{ .reg .b32 %r<3>; ld.param.u32 %r1, [a]; "
      "shfl.sync.bfly.b32 %r2, %r1, 31, 31, -1; st.param.b32 [out], %r2; ret; }\n";
  const std::string ptx = kernel_of(
      "setp.lt.u32 %p1, %r0, 16; @%p1 bra LOW; add.u32 %r2, %r1, 500; call (%r3), mirror, (%r2); "
      "bra BOTH; LOW: call (%r3), mirror, (%r1); BOTH: st.global.u32 [%rd1], %r3;",
      functions);
  const Outcome by_threads = run_kernel(ptx, inputs(), 32, {}, lower::EngineChoice::threads);
  const Outcome by_warps = run_kernel(ptx, inputs(), 32, {}, lower::EngineChoice::warps);

  ASSERT_EQ(by_threads.fault, "");
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(by_threads.words[i], i < 16 ? inputs()[31 - i] + 500 : inputs()[31 - i]);
  }
  EXPECT_EQ(by_warps.kind, runtime::FaultKind::barrier);
}
TEST(Call, FromTwoPlacesReachesOneAndTheSameBarrier) {
  const std::string functions =
      ".func (.param .b32 out) meet(.param .b32 a)\n{ .shared .align 4 .b8 s[128]; .reg .b32 "
      "%r<5>; .reg .b64 %rd<5>; ld.param.u32 %r1, [a]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd1, "
      "%r2, 4; mov.u64 %rd2, s; add.u64 %rd3, %rd2, %rd1; st.shared.u32 [%rd3], %r1; "
      "barrier.sync 1; xor.b32 %r3, %r2, 31; mul.wide.u32 %rd1, %r3, 4; add.u64 %rd3, %rd2, %rd1; "
      "ld.shared.u32 %r4, [%rd3]; st.param.b32 [out], %r4; ret; }\n";
  const auto got = run(functions,
                       "setp.lt.u32 %p1, %r0, 16; @%p1 bra LOW; call (%r3), meet, (%r1); bra BOTH; "
                       "LOW: call (%r3), meet, (%r1); BOTH:");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], inputs()[31 - i]);
}

std::string refusal(const std::string& ptx, lower::EngineChoice engine) {
  try {
    static_cast<void>(run_kernel(ptx, {1}, 32, {}, engine));
  } catch (const ptx::Error& error) {
    return error.what();
  }
  return "none";
}
constexpr std::array kEngines = {lower::EngineChoice::warps, lower::EngineChoice::threads,
                                 lower::EngineChoice::automatic};

TEST(Call, OfAKernelIsRefused) {
  const std::string ptx = kernel_of("call other;", ".visible .entry other()\n{ ret; }\n");
  for (const auto engine : kEngines) {
    EXPECT_NE(refusal(ptx, engine).find("'other' is a kernel"), std::string::npos);
  }
}
TEST(Call, OfFunctionsNestedWithoutMeasureIsRefused) {
  std::string functions = ".func f0()\n{ ret; }\n";
  for (int i = 1; i <= 30'000; ++i) {
    functions +=
        ".func f" + std::to_string(i) + "()\n{ call f" + std::to_string(i - 1) + ";\nret; }\n";
  }
  // From the top, and bottom up, so that what is called is known already.
  const std::array bodies = {std::string("call f30000;"), [] {
                               std::string calls;
                               for (int i = 0; i < 30'000; i += 500) {
                                 calls += "call f" + std::to_string(i) + ";\n";
                               }
                               return calls;
                             }()};
  for (const std::string& body : bodies) {
    EXPECT_NE(refusal(kernel_of(body, functions), lower::EngineChoice::warps)
                  .find("calls nest deeper than 1000"),
              std::string::npos);
  }
}
TEST(Call, WhoseCopiesHaveTooManyRegistersIsCarriedOutByThreads) {
  const std::string functions =
      ".func (.param .b32 out) many(.param .b32 a)\n{ .reg .b32 %r<50000>; ld.param.u32 %r1, [a]; "
      "add.u32 %r2, %r1, 1; st.param.b32 [out], %r2; ret; }\n";
  std::string calls = "mov.u32 %r3, %r1;";
  for (int i = 0; i < 60; ++i) calls += "call (%r3), many, (%r3);\n";
  const std::string ptx = kernel_of(calls + "st.global.u32 [%rd1], %r3;", functions);

  EXPECT_NE(refusal(ptx, lower::EngineChoice::warps).find("2000000 registers and variables"),
            std::string::npos);
  const Outcome outcome = run_kernel(ptx, inputs(), 32);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.unit, runtime::Unit::thread);
  EXPECT_EQ(outcome.words[5], inputs()[5] + 60);
}
// 2,048 copies of 4 MiB are 8 GiB, which 32 bits cannot count.
TEST(Call, WhoseCopiesHaveTooMuchLocalMemoryIsRefused) {
  std::string functions =
      ".func f0()\n{ .local .align 4 .b8 a[4194304]; .reg .b64 %rd<2>; mov.u64 %rd1, a; "
      "st.local.u32 [%rd1], 1; ret; }\n";
  for (int i = 1; i <= 11; ++i) {
    const std::string below = "call f" + std::to_string(i - 1) + ";\n";
    functions.append(".func f").append(std::to_string(i)).append("()\n{ ");
    functions.append(below).append(below).append("ret; }\n");
  }
  EXPECT_NE(refusal(kernel_of("call f11;", functions), lower::EngineChoice::warps)
                .find("come to more than 2147483648 bytes"),
            std::string::npos);
}
TEST(Call, OfFunctionsWithTooMuchSharedMemoryIsRefused) {
  std::string functions;
  std::string calls;
  for (int i = 0; i < 9; ++i) {
    const std::string name = "f" + std::to_string(i);
    const std::string bytes = std::to_string(i == 0 ? 65536 : 536862720);
    functions.append(".func ").append(name).append("()\n{ .shared .align 4 .b8 a[");
    functions.append(bytes).append("]; ret; }\n");
    calls.append("call ").append(name).append(";\n");
  }
  for (const auto engine : kEngines) {
    EXPECT_NE(refusal(kernel_of(calls, functions), engine).find("come to more than 2147483648"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace emulator::testing
