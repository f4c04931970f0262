// Memory accesses in all their spellings, special registers, address spaces, and what changes no
// result.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

std::vector<std::uint32_t> inputs() {
  std::vector<std::uint32_t> words(32);
  for (std::uint32_t i = 0; i < 32; ++i) words[i] = 0x9e3779b9U * (i + 1);
  return words;
}

std::vector<std::uint32_t> run(const std::string& body, const Grid& grid = {},
                               const std::string& module_scope = "") {
  const std::size_t threads = std::size_t{grid.grid[0]} * grid.block[0];
  std::vector<std::uint32_t> input(threads);
  for (std::size_t i = 0; i < threads; ++i) input[i] = inputs()[i % 32];
  const Outcome outcome = run_kernel(kernel_of(body + " st.global.u32 [%rd1], %r3;", module_scope),
                                     input, threads, grid);
  EXPECT_EQ(outcome.fault, "") << body;
  return outcome.words;
}

// Each moves the thread's input word to %r3 in its own way.
class Access : public ::testing::TestWithParam<const char*> {};
TEST_P(Access, MovesTheWord) {
  const auto got = run(GetParam());
  for (std::size_t i = 0; i < 32; ++i) ASSERT_EQ(got[i], inputs()[i]);
}
constexpr const char* kAccesses[] = {
    "ld.global.u32 %r3, [%rd0];",
    "ld.u32 %r3, [%rd0];",
    "ld.weak.global.b32 %r3, [%rd0];",
    "ld.volatile.global.u32 %r3, [%rd0];",
    "ld.relaxed.gpu.global.u32 %r3, [%rd0];",
    "ld.relaxed.cluster.global.u32 %r3, [%rd0];",
    "ld.acquire.sys.global.u32 %r3, [%rd0];",
    "ld.mmio.relaxed.sys.global.u32 %r3, [%rd0];",
    "ld.global.nc.u32 %r3, [%rd0];",
    "ld.global.ca.u32 %r3, [%rd0];",
    "ld.global.cg.u32 %r3, [%rd0];",
    "ld.global.cs.u32 %r3, [%rd0];",
    "ld.global.lu.u32 %r3, [%rd0];",
    "ld.global.cv.u32 %r3, [%rd0];",
    "ld.global.nc.L1::no_allocate.L2::128B.u32 %r3, [%rd0];",
    "ld.global.L1::evict_last.L2::256B.u32 %r3, [%rd0];",
    "createpolicy.fractional.L2::evict_first.b64 %rd9, 1.0; ld.global.L2::cache_hint.u32 %r3, "
    "[%rd0], "
    "%rd9;",
    "ldu.global.u32 %r3, [%rd0];",
    "ld.global.v2.u16 {%h1, %h2}, [%rd0]; mov.b32 %r3, {%h1, %h2};",
    "ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%rd0]; shl.b16 %h2, %h2, 8; or.b16 %h1, %h1, %h2; "
    "shl.b16 "
    "%h4, %h4, 8; or.b16 %h3, %h3, %h4; mov.b32 %r3, {%h1, %h3};",
    "ld.global.s8 %r4, [%rd0+3]; ld.global.u8 %r5, [%rd0+2]; ld.global.u16 %r6, [%rd0]; shl.b32 "
    "%r4, "
    "%r4, 24; shl.b32 %r5, %r5, 16; or.b32 %r3, %r4, %r5; or.b32 %r3, %r3, %r6;",
    "ld.global.f32 %f1, [%rd0]; mov.b32 %r3, %f1;",
    "st.volatile.global.u32 [%rd1], %r1; ld.global.u32 %r3, [%rd1];",
    "st.relaxed.gpu.global.u32 [%rd1], %r1; ld.global.u32 %r3, [%rd1];",
    "st.release.sys.global.u32 [%rd1], %r1; ld.acquire.gpu.global.u32 %r3, [%rd1];",
    "st.global.wb.u32 [%rd1], %r1; ld.global.u32 %r3, [%rd1];",
    "st.global.cg.u32 [%rd1], %r1; ld.global.u32 %r3, [%rd1];",
    "st.global.cs.u32 [%rd1], %r1; ld.global.u32 %r3, [%rd1];",
    "st.global.wt.u32 [%rd1], %r1; ld.global.u32 %r3, [%rd1];",
    "st.global.L1::no_allocate.u32 [%rd1], %r1; ld.global.u32 %r3, [%rd1];",
    "mov.b32 {%h1, %h2}, %r1; st.global.v2.b16 [%rd1], {%h1, %h2}; ld.global.u32 %r3, [%rd1];",
    ".local .align 16 .b8 l[32]; mov.u64 %rd9, l; st.local.v4.u32 [%rd9+16], {%r0, %r0, %r1, %r0}; "
    "ld.local.v2.u32 {%r4, %r5}, [%rd9+24]; mov.u32 %r3, %r4;",
    ".local .align 16 .b8 l[32]; st.local.u32 [l+4], %r1; ld.local.u32 %r3, [l+4];",
    ".local .align 16 .b8 l[32]; mov.u64 %rd9, l+8; st.local.u32 [%rd9], %r1; ld.local.u32 %r3, "
    "[l+8];",
    ".local .align 16 .b8 l[32]; mov.u64 %rd9, l; cvta.local.u64 %rd9, %rd9; st.u32 [%rd9], %r1; "
    "cvta.to.local.u64 %rd9, %rd9; ld.local.u32 %r3, [%rd9];",
    ".shared .align 16 .b8 s[512]; shl.b32 %r4, %r0, 4; mov.u32 %r5, s; add.u32 %r4, %r4, %r5; "
    "st.shared.v4.b32 [%r4], {%r0, %r1, %r0, %r0}; ld.shared.b32 %r3, [%r4+4];",
    ".shared .align 16 .b8 s[128]; mul.wide.u32 %rd9, %r0, 4; mov.u64 %rd8, s; cvta.shared.u64 "
    "%rd8, "
    "%rd8; add.u64 %rd9, %rd9, %rd8; st.u32 [%rd9], %r1; cvta.to.shared.u64 %rd9, %rd9; "
    "ld.shared::cta.u32 %r3, [%rd9];",
    "prefetch.global.L2 [%rd0]; prefetch.L1 [%rd0]; prefetchu.L1 [%rd0]; "
    "prefetch.global.L2::evict_last "
    "[%rd0]; applypriority.global.L2::evict_normal [%rd0], 128; mov.u32 %r3, %r1;",
    "membar.gl; membar.cta; membar.sys; fence.sc.gpu; fence.acq_rel.cta; fence.acq_rel.cluster; "
    "mov.u32 %r3, %r1;",
    "griddepcontrol.launch_dependents; griddepcontrol.wait; nanosleep.u32 100; pmevent 3; "
    "bar.warp.sync -1; mov.u32 %r3, %r1;",
    "mov.u32 %r3, %r1; setp.gt.u32 %p1, %r0, 31; @!%p1 bra ON; trap; ON:",
    ".reg .b128 %rq; mov.b128 %rq, {%rd0, %rd1}; mov.b128 {%rd8, %rd9}, %rq; ld.global.u32 %r3, "
    "[%rd8];",
};
INSTANTIATE_TEST_SUITE_P(Each, Access, ::testing::ValuesIn(kAccesses));

struct Register {
  const char* name;
  std::uint32_t (*expected)(std::uint32_t thread);  // of blocks of 64 threads
};
void PrintTo(const Register& r, std::ostream* out) { *out << r.name; }
class SpecialRegister : public ::testing::TestWithParam<Register> {};
TEST_P(SpecialRegister, Reads) {
  const auto got = run(std::string("mov.u32 %r3, %") + GetParam().name + ";",
                       {.grid = {2, 1, 1}, .block = {64, 1, 1}});
  for (std::uint32_t t = 0; t < 128; ++t) ASSERT_EQ(got[t], GetParam().expected(t)) << t;
}
constexpr Register kRegisters[] = {
    {"tid.x", [](std::uint32_t t) { return t % 64; }},
    {"tid.y", [](std::uint32_t) { return 0U; }},
    {"ntid.x", [](std::uint32_t) { return 64U; }},
    {"ntid.z", [](std::uint32_t) { return 1U; }},
    {"ctaid.x", [](std::uint32_t t) { return t / 64; }},
    {"nctaid.x", [](std::uint32_t) { return 2U; }},
    {"laneid", [](std::uint32_t t) { return t % 32; }},
    {"warpid", [](std::uint32_t t) { return t / 32 % 2; }},
    {"nwarpid", [](std::uint32_t) { return 2U; }},
    {"smid", [](std::uint32_t) { return 0U; }},
    {"nsmid", [](std::uint32_t) { return 1U; }},
    {"lanemask_eq", [](std::uint32_t t) { return 1U << t % 32; }},
    {"lanemask_lt", [](std::uint32_t t) { return (1U << t % 32) - 1; }},
    {"lanemask_le", [](std::uint32_t t) { return (2U << t % 32) - 1; }},
    {"lanemask_gt", [](std::uint32_t t) { return ~((2U << t % 32) - 1); }},
    {"lanemask_ge", [](std::uint32_t t) { return ~((1U << t % 32) - 1); }},
    {"cluster_ctarank", [](std::uint32_t) { return 0U; }},
    {"clusterid.x", [](std::uint32_t t) { return t / 64; }},
    {"nclusterid.x", [](std::uint32_t) { return 2U; }},
    {"tid.w", [](std::uint32_t) { return 0U; }},
    {"clusterid.w", [](std::uint32_t) { return 0U; }},
    {"cluster_nctaid.x", [](std::uint32_t) { return 1U; }},
};
INSTANTIATE_TEST_SUITE_P(Each, SpecialRegister, ::testing::ValuesIn(kRegisters),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST(SpecialRegisters, OfTimeGoOn) {
  const auto got =
      run("mov.u64 %rd9, %clock64; mov.u32 %r4, %clock; mov.u64 %rd8, %globaltimer; mov.u64 %rd7, "
          "%clock64; setp.ge.u64 %p1, %rd7, %rd9; selp.u32 %r3, 1, 0, %p1;");
  EXPECT_EQ(got[0], 1U);
}
TEST(SpecialRegisters, OfTheDriverAreZeroWithoutACooperativeLaunch) {
  const auto got = run("mov.u32 %r3, %envreg1; mov.u32 %r4, %envreg3; or.b32 %r3, %r3, %r4;");
  EXPECT_EQ(got[0], 0U);
}
TEST(SpecialRegisters, ThatNobodyWritesReadZero) {
  const auto got =
      run("mov.u32 %r3, %pm7; mov.u64 %rd9, %pm0_64; cvt.u32.u64 %r4, %rd9; or.b32 %r3, %r3, %r4;"
          "mov.u64 %rd9, %pm7_64; cvt.u32.u64 %r4, %rd9; or.b32 %r3, %r3, %r4;");
  EXPECT_EQ(got[0], 0U);
}
// A kilobyte of shared memory, beside the kernel's own.
TEST(SpecialRegisters, NameSharedMemoryThatIsReserved) {
  const auto got =
      run(".shared .align 4 .b8 s[4]; mov.u32 %r4, s; st.shared.u32 [%r4], 5;"
          "mov.u32 %r5, %reserved_smem_offset_begin; mov.u32 %r6, %reserved_smem_offset_end;"
          "mov.u32 %r7, %reserved_smem_offset_cap; mov.u32 %r8, %reserved_smem_offset_1;"
          "st.shared.u32 [%r8], 6; st.shared.u32 [%r8+284], 7; sub.u32 %r9, %r6, %r5;"
          "setp.eq.u32 %p1, %r9, %r7; setp.le.and.u32 %p1, %r5, %r8, %p1;"
          "add.u32 %r10, %r8, 288; setp.le.and.u32 %p1, %r10, %r6, %p1;"
          "setp.ge.u32 %p2, %r4, %r6; add.u32 %r11, %r4, 4; setp.le.or.u32 %p2, %r11, %r5, %p2;"
          "ld.shared.u32 %r12, [%r4]; selp.u32 %r3, 16, 0, %p1; selp.u32 %r13, 32, 0, %p2;"
          "add.u32 %r3, %r3, %r13; add.u32 %r3, %r3, %r12;");
  EXPECT_EQ(got[0], 16U + 32U + 5U);
}

TEST(LocalVariables, OfAModuleAreEachThreadsOwn) {
  const auto got = run(
      "st.local.u32 [m+4], %r1; mov.u64 %rd9, m; cvta.local.u64 %rd9, %rd9; ld.u32 %r3, [%rd9+4];",
      {}, ".local .align 8 .b8 m[8];\n");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(got[i], inputs()[i]);
}

TEST(AddressSpace, OfAGenericAddressIsKnown) {
  const auto got = run(
      ".shared .align 4 .b8 s[4]; .local .align 4 .b8 l[4]; mov.u64 %rd5, s; cvta.shared.u64 %rd5, "
      "%rd5; mov.u64 %rd6, l; cvta.local.u64 %rd6, %rd6; isspacep.shared %p1, %rd5; isspacep.local "
      "%p2, %rd6; isspacep.global %p3, %rd0; isspacep.shared %p4, %rd6; isspacep.local %p5, %rd0; "
      "isspacep.global %p6, %rd5; mov.u64 %rd7, k_in; cvta.param.u64 %rd7, %rd7; isspacep.param "
      "%p7, "
      "%rd7; selp.u32 %r3, 1, 0, %p1; selp.u32 %r4, 2, 0, %p2; or.b32 %r3, %r3, %r4; selp.u32 %r4, "
      "4, "
      "0, %p3; or.b32 %r3, %r3, %r4; selp.u32 %r4, 8, 0, %p4; or.b32 %r3, %r3, %r4; selp.u32 %r4, "
      "16, "
      "0, %p5; or.b32 %r3, %r3, %r4; selp.u32 %r4, 32, 0, %p6; or.b32 %r3, %r3, %r4; selp.u32 %r4, "
      "64, "
      "0, %p7; or.b32 %r3, %r3, %r4;");
  EXPECT_EQ(got[9], 7U + 64U);
}

TEST(AddressSpace, OfAConstantIsKnown) {
  const auto got =
      run("mov.u64 %rd5, c; cvta.const.u64 %rd5, %rd5; add.u64 %rd6, %rd5, 15; add.u64 %rd7, %rd5, "
          "16; isspacep.const %p1, %rd5;"
          "isspacep.const %p2, %rd6; isspacep.const %p3, %rd7; isspacep.const %p4, %rd0;"
          "isspacep.global %p5, %rd5; isspacep.shared::cluster %p6, %rd5; selp.u32 %r3, 1, 0, %p1;"
          "@%p2 add.u32 %r3, %r3, 2; @%p3 add.u32 %r3, %r3, 4; @%p4 add.u32 %r3, %r3, 8;"
          "@%p5 add.u32 %r3, %r3, 16; @%p6 add.u32 %r3, %r3, 32;",
          {}, ".const .align 8 .b8 c[16];\n");
  EXPECT_EQ(got[0], 3U);
}

TEST(Constants, ThatAreDecimalHaveTheTypeOfTheInstruction) {
  const auto got =
      run("st.global.f32 [%rd1], 1.5; ld.global.u32 %r4, [%rd1]; st.global.f32 [%rd1], 0f00000000; "
          "red.global.add.f32 [%rd1], 2.0; ld.global.u32 %r5, [%rd1]; xor.b32 %r3, %r4, %r5;");
  EXPECT_EQ(got[1], 0x3fc00000U ^ 0x40000000U);
}

TEST(IndexedBranch, GoesWhereEachLaneSays) {
  const auto got =
      run("and.b32 %r4, %r0, 3; mov.u32 %r3, 5; T: .branchtargets A, B, C, A; brx.idx %r4, T; A: "
          "add.u32 "
          "%r3, %r3, 1; bra OUT; B: add.u32 %r3, %r3, 10; C: add.u32 %r3, %r3, 100; OUT:");
  for (std::uint32_t t = 0; t < 32; ++t) {
    constexpr std::uint32_t kAdded[] = {1, 110, 100, 1};
    EXPECT_EQ(got[t], 5 + kAdded[t % 4]) << t;
  }
}
TEST(IndexedBranch, IsPassedWhereItsGuardDoesNotHold) {
  for (const char* guard :
       {"setp.lt.u32 %p1, %r0, 9;", "setp.lt.u32 %p1, %r60, 9;", "setp.lt.u32 %p1, %r60, 0;"}) {
    const auto got = run(
        std::string(guard) +
        "and.b32 %r4, %r0, 1; mov.u32 %r3, 5; T: .branchtargets A, B; @%p1 brx.idx %r4, T;"
        "add.u32 %r3, %r3, 1000; bra OUT; A: add.u32 %r3, %r3, 10; bra OUT; B: add.u32 %r3, %r3, "
        "100; OUT: selp.u32 %r5, 7, 8, %p1; mad.lo.u32 %r3, %r5, 10000, %r3;");
    for (std::uint32_t t = 0; t < 32; ++t) {
      const bool taken = got[t] / 10000 == 7;
      EXPECT_EQ(got[t] % 10000, taken ? 5U + (t % 2 == 0 ? 10 : 100) : 1005U) << guard << t;
    }
  }
}
TEST(IndexedBranch, PastItsTargetsIsAFault) {
  for (const char* index : {"mov.u32 %r4, 7;", "mov.u32 %r4, %r0;"}) {
    const Outcome outcome =
        run_kernel(kernel_of(std::string(index) + "T: .branchtargets A, B; brx.idx %r4, T; A: B: "
                                                  "mov.u32 %r3, 1;"),
                   inputs(), 32);
    EXPECT_EQ(outcome.kind, runtime::FaultKind::bad_instruction) << index;
    const Outcome guarded =
        run_kernel(kernel_of(std::string(index) + "setp.ne.u32 %p1, %r4, 1; T: .branchtargets A, B;"
                                                  "@%p1 brx.idx %r4, T; A: B: mov.u32 %r3, 1;"),
                   inputs(), 32);
    EXPECT_EQ(guarded.kind, runtime::FaultKind::bad_instruction) << index;
  }
}

// A lane that polls with an atomic operation waits for another warp of its block.
TEST(Polling, WithAnAtomicOperationLetsTheOtherWarpsRun) {
  const auto got = run(
      ".shared .align 4 .b8 flag[4]; mov.u32 %r5, flag; setp.eq.u32 %p3, %r0, 0; @%p3 "
      "st.shared.u32 "
      "[%r5], 0; bar.sync 0; setp.ge.u32 %p1, %r0, 32; @%p1 bra SET; SPIN: atom.shared.or.b32 %r3, "
      "[%r5], 0; setp.eq.u32 %p2, %r3, 0; @%p2 bra SPIN; bra DONE; SET: atom.shared.or.b32 %r4, "
      "[%r5], "
      "4; DONE: mov.u32 %r3, 9;",
      {.block = {64, 1, 1}});
  EXPECT_EQ(got[0], 9U);
}

}  // namespace
}  // namespace emulator::testing
