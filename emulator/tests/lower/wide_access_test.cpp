// Loads and stores of 256 bits, which sm_100 has: vectors of eight words or four doublewords.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

using Words = std::vector<std::uint32_t>;
constexpr std::uint32_t kUntouched = 0xcdcdcdcd;
constexpr std::size_t kWords = std::size_t{64} * 8;  // of 64 threads

Words numbers() {
  Words words(kWords);
  std::iota(words.begin(), words.end(), 0x80000001U);
  return words;
}

Outcome run(const std::string& body) {
  return run_kernel(kernel_of(body), numbers(), kWords, {.block = {64, 1, 1}});
}
Words words_of(const std::string& body) {
  const Outcome outcome = run(body);
  EXPECT_EQ(outcome.fault, "") << body;
  return outcome.words;
}

// Where the thread's 32 bytes lie: of the input in %rd8, of the output in %rd9.
const std::string kOwn =
    "mul.wide.u32 %rd7, %r0, 32; add.s64 %rd8, %rd2, %rd7; add.s64 %rd9, %rd3, %rd7;\n";

// Ends of both instructions behind the space and the words: types and registers.
struct Vector {
  const char* type;
  const char* registers;
};
void PrintTo(const Vector& v, std::ostream* out) { *out << v.type; }
constexpr Vector kVectors[] = {
    {"v8.b32", "{%r11,%r12,%r13,%r14,%r15,%r16,%r17,%r18}"},
    {"v8.u32", "{%r11,%r12,%r13,%r14,%r15,%r16,%r17,%r18}"},
    {"v8.s32", "{%r11,%r12,%r13,%r14,%r15,%r16,%r17,%r18}"},
    {"v8.f32", "{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}"},
    {"v4.b64", "{%rd11,%rd12,%rd13,%rd14}"},
    {"v4.u64", "{%rd11,%rd12,%rd13,%rd14}"},
    {"v4.s64", "{%rd11,%rd12,%rd13,%rd14}"},
    {"v4.f64", "{%d1,%d2,%d3,%d4}"},
};

class WideAccess : public ::testing::TestWithParam<Vector> {};
INSTANTIATE_TEST_SUITE_P(Each, WideAccess, ::testing::ValuesIn(kVectors), [](const auto& test) {
  return std::string(test.param.type).replace(2, 1, "_");
});

// Words that change nothing of the result, for a load and for a store.
struct Qualifiers {
  const char* load;
  const char* store;
};
constexpr Qualifiers kQualifiers[] = {
    {"global", "global"},
    {"weak.global", "weak.global"},
    {"volatile.global", "volatile.global"},
    {"relaxed.gpu.global", "relaxed.gpu.global"},
    {"acquire.sys.global", "release.sys.global"},
    {"global.nc", "global"},
    {"global.cg", "global.cs"},
    {"global.L1::no_allocate.L2::evict_first", "global.L1::no_allocate.L2::evict_last"},
    {"global.L2::evict_last.L2::128B", "global.L2::evict_normal"},
};

TEST_P(WideAccess, CopiesWhatEachThreadHas) {
  const auto& [type, registers] = GetParam();
  for (const Qualifiers& words : kQualifiers) {
    EXPECT_EQ(words_of(kOwn + fmt::format("ld.{0}.{2} {3}, [%rd8]; st.{1}.{2} [%rd9], {3};",
                                          words.load, words.store, type, registers)),
              numbers())
        << words.load;
  }
}

TEST_P(WideAccess, GoesToGenericAddresses) {
  const auto& [type, registers] = GetParam();
  EXPECT_EQ(words_of(kOwn + fmt::format("ld.{0} {1}, [%rd8]; st.L2::cache_hint.{0} [%rd9], {1}, "
                                        "%rd8;",
                                        type, registers)),
            numbers());
}

// Known only when the kernel runs, and nowhere near each other.
TEST_P(WideAccess, OfScatteredThreadsIsLookedAtLaneByLane) {
  const auto& [type, registers] = GetParam();
  const Words got = words_of(
      "mul.lo.u32 %r5, %r0, 37; and.b32 %r5, %r5, 63; mul.wide.u32 %rd7, %r5, 32;\n"
      "add.s64 %rd8, %rd2, %rd7; mul.wide.u32 %rd7, %r0, 32; add.s64 %rd9, %rd3, %rd7;\n" +
      fmt::format("ld.global.{0} {1}, [%rd8]; st.global.{0} [%rd9], {1};", type, registers));
  const Words in = numbers();
  for (std::size_t i = 0; i < kWords; ++i) {
    ASSERT_EQ(got[i], in[(i / 8 * 37 & 63) * 8 + i % 8]) << i;
  }
}

TEST_P(WideAccess, OfOneAddressIsTheSameForAll) {
  const auto& [type, registers] = GetParam();
  const Words got = words_of(
      fmt::format("ld.global.{0} {1}, [%rd2+64]; st.global.{0} [%rd3+32], {1};", type, registers));
  const Words in = numbers();
  Words expected(kWords, kUntouched);
  std::copy_n(in.begin() + 16, 8, expected.begin() + 8);
  EXPECT_EQ(got, expected);
}

TEST_P(WideAccess, UnderAGuardIsOfTheLanesThatRun) {
  const auto& [type, registers] = GetParam();
  const Words got =
      words_of(kOwn + fmt::format("setp.lt.u32 %p1, %r0, 5; @%p1 ld.global.{0} {1}, [%rd8]; @%p1 "
                                  "st.global.{0} [%rd9], {1};",
                                  type, registers));
  Words expected = numbers();
  std::fill(expected.begin() + 40, expected.end(), kUntouched);
  EXPECT_EQ(got, expected);
}

TEST_P(WideAccess, ThatIsMisalignedIsAFaultWithItsLine) {
  const auto& [type, registers] = GetParam();
  for (const std::string& text : {fmt::format("ld.global.{} {}, [%rd8+16]", type, registers),
                                  fmt::format("st.global.{} [%rd9+16], {}", type, registers)}) {
    const Outcome outcome = run(kOwn + text + ";");
    EXPECT_EQ(outcome.kind, runtime::FaultKind::misaligned);
    EXPECT_NE(outcome.fault.find("of 32 bytes"), std::string::npos) << outcome.fault;
    EXPECT_NE(outcome.fault.find("which is no multiple of 32, by thread (0,0,0)"),
              std::string::npos)
        << outcome.fault;
    EXPECT_NE(outcome.fault.find("line 24: " + text), std::string::npos) << outcome.fault;
  }
}

TEST_P(WideAccess, BeyondTheMemoryIsAFault) {
  const auto& [type, registers] = GetParam();
  const Outcome outcome = run(kOwn + fmt::format("ld.global.{} {}, [%rd8+32]; st.global.{} [%rd9], "
                                                 "{};",
                                                 type, registers, type, registers));
  EXPECT_EQ(outcome.kind, runtime::FaultKind::out_of_bounds);
  EXPECT_NE(outcome.fault.find("load of 32 bytes"), std::string::npos) << outcome.fault;
  EXPECT_NE(outcome.fault.find("by thread (63,0,0)"), std::string::npos) << outcome.fault;
}

// Elements 1, 4 and 6 of each thread are left as they were, %r12 and the like too.
Words with_holes(Words words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i % 8 == 1 || i % 8 == 4 || i % 8 == 6) words[i] = kUntouched;
  }
  return words;
}

TEST(WideAccesses, StoreNothingWhereASinkStands) {
  const std::string load = kOwn + "ld.global.v8.b32 {%r11,%r12,%r13,%r14,%r15,%r16,%r17,%r18}, [";
  const std::string store = "st.global.v8.b32 [%rd9], {%r11,_,%r13,%r14,_,%r16,_,%r18};";
  EXPECT_EQ(words_of(load + "%rd8]; " + store), with_holes(numbers()));
  EXPECT_EQ(words_of(load + "%rd8]; setp.ge.u32 %p1, %r0, 0; @%p1 " + store),
            with_holes(numbers()));
  Words doublewords(kWords, kUntouched);
  for (std::size_t i = 0; i < kWords; i += 8) {
    doublewords[i + 4] = numbers()[i + 4];
    doublewords[i + 5] = numbers()[i + 5];
  }
  EXPECT_EQ(words_of(kOwn + "ld.global.v4.b64 {_,_,%rd13,_}, [%rd8]; st.volatile.v4.b64 [%rd9], "
                            "{_,_,%rd13,_};"),
            doublewords);
}

TEST(WideAccesses, OfOneAddressStoreNothingWhereASinkStands) {
  Words expected(kWords, kUntouched);
  expected[1] = 7;
  expected[7] = 0x3f800000;
  EXPECT_EQ(words_of("st.global.v8.f32 [%rd3], {_,0f00000007,_,_,_,_,_,1.0};"), expected);
}

TEST(WideAccesses, LeaveTheRegisterOfASinkAsItWas) {
  const Words got =
      words_of(kOwn +
               "mov.u32 %r12, 5; ld.global.v8.b32 {%r11,_,%r13,%r14,%r15,%r16,%r17,%r18}, [%rd8]; "
               "st.global.v8.b32 [%rd9], {%r11,%r12,%r13,%r14,%r15,%r16,%r17,%r18};");
  Words expected = numbers();
  for (std::size_t i = 1; i < kWords; i += 8) expected[i] = 5;
  EXPECT_EQ(got, expected);
}

}  // namespace
}  // namespace emulator::testing
