// Additions that a worker gathers (runtime/gathered_sums.h): nobody may find out, however the
// memory that they go to is used beside.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/kernel_run.h"

namespace emulator::testing {
namespace {

constexpr std::uint32_t kBefore = 0xcdcdcdcd;  // what each word of the output holds at first
constexpr std::uint32_t kBlocks = 96;
constexpr std::uint32_t kThreads = 128;
constexpr std::size_t kAllThreads = std::size_t{kBlocks} * kThreads;

// A number that looks random, by the thread's linear index.
std::uint32_t number_of(std::uint32_t thread) { return thread * 2654435761U >> 7U; }

std::vector<std::uint32_t> numbers(std::uint32_t count) {
  std::vector<std::uint32_t> all(count);
  for (std::uint32_t i = 0; i < count; ++i) all[i] = number_of(i);
  return all;
}

Outcome run_grid(const std::string& body, std::size_t words, std::uint32_t blocks = kBlocks) {
  return run_kernel(kernel_of(body), numbers(blocks * kThreads), words,
                    {.grid = {blocks, 1, 1}, .block = {kThreads, 1, 1}});
}

// What 20 rounds of additions leave in as many bins: round r of thread t adds t + 1 to the bin that
// its number and r choose.
constexpr std::uint32_t kRounds = 20;
std::string histogram(std::uint32_t bins, bool wide) {
  const std::string bytes = wide ? "8" : "4";
  return "mov.u32 %r2, 0; add.u32 %r5, %r0, 1; cvt.u64.u32 %rd8, %r5; mul.lo.u64 %rd8, %rd8, "
         "0xffffffff;\n"
         "loop: mad.lo.u32 %r3, %r2, 40503, %r1; rem.u32 %r3, %r3, " +
         std::to_string(bins) +
         ";\n"
         "mul.wide.u32 %rd5, %r3, " +
         bytes + "; add.u64 %rd6, %rd3, %rd5;\n" +
         (wide ? "red.global.add.u64 [%rd6], %rd8;\n" : "red.global.add.u32 [%rd6], %r5;\n") +
         "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, " + std::to_string(kRounds) +
         ";\n"
         "@%p1 bra loop;\n";
}
std::vector<std::uint64_t> bins_of(std::uint32_t bins, bool wide) {
  const std::uint64_t before = kBefore | std::uint64_t{kBefore} << 32U;
  std::vector<std::uint64_t> all(bins, before);
  for (std::uint32_t t = 0; t < kBlocks * kThreads; ++t) {
    for (std::uint32_t r = 0; r < kRounds; ++r) {
      const std::uint32_t bin = (r * 40503U + number_of(t)) % bins;
      all[bin] += wide ? (t + 1ULL) * 0xffffffffULL : t + 1;
    }
  }
  return all;
}

class Histogram : public ::testing::TestWithParam<std::uint32_t> {};
// One word, few, as many as the table has entries, and so many that they drive each other out.
INSTANTIATE_TEST_SUITE_P(Of, Histogram, ::testing::Values(1, 7, 256, 1024, 1500, 30000),
                         [](const auto& bins) { return std::to_string(bins.param) + "Bins"; });

TEST_P(Histogram, CountsEverySample) {
  const std::uint32_t bins = GetParam();
  const Outcome outcome = run_grid(histogram(bins, false), bins);
  ASSERT_EQ(outcome.fault, "");
  const std::vector<std::uint64_t> expected = bins_of(bins, false);
  for (std::uint32_t i = 0; i < bins; ++i) {
    ASSERT_EQ(outcome.words[i], static_cast<std::uint32_t>(expected[i])) << i;
  }
}

TEST_P(Histogram, CountsIn64Bits) {
  const std::uint32_t bins = GetParam();
  const Outcome outcome = run_grid(histogram(bins, true), 2 * std::size_t{bins});
  ASSERT_EQ(outcome.fault, "");
  const std::vector<std::uint64_t> expected = bins_of(bins, true);
  for (std::size_t i = 0; i < bins; ++i) {
    ASSERT_EQ(outcome.words[2 * i] | std::uint64_t{outcome.words[2 * i + 1]} << 32U, expected[i])
        << i;
  }
}

// Each thread has its own counter, of which it reads what it has added, twice.
TEST(GatheredSums, AreReadByTheThreadThatAdded) {
  const Outcome outcome = run_grid(
      "red.global.add.u32 [%rd1], 5; red.global.add.u32 [%rd1], 6; ld.global.u32 %r2, [%rd1];\n"
      "red.global.add.u32 [%rd1], 7; ld.global.u32 %r3, [%rd1]; xor.b32 %r4, %r2, %r3;\n"
      "st.global.u32 [%rd1], %r4;",
      kAllThreads);
  ASSERT_EQ(outcome.fault, "");
  for (const std::uint32_t word : outcome.words) {
    ASSERT_EQ(word, (kBefore + 11) ^ (kBefore + 18));
  }
}

// The load has been carried out the fast way before anything was gathered.
TEST(GatheredSums, AreReadByALoadThatRanBeforeTheFirst) {
  const Outcome outcome = run_grid(
      "mov.u32 %r9, 0; mov.u32 %r10, 0;\n"
      "loop: ld.global.u32 %r2, [%rd1]; add.u32 %r10, %r10, %r2; red.global.add.u32 [%rd1], 7;\n"
      "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 5; @%p1 bra loop; st.global.u32 [%rd1], %r10;",
      kAllThreads);
  ASSERT_EQ(outcome.fault, "");
  for (const std::uint32_t word : outcome.words) ASSERT_EQ(word, 5 * kBefore + 10 * 7);
}

TEST(GatheredSums, AreReadByAtomicOperationsOfTheThreadThatAdded) {
  const Outcome outcome = run_grid(
      "red.global.add.u32 [%rd1], 5; atom.global.max.u32 %r2, [%rd1], 3;\n"
      "red.global.add.u32 [%rd1], 6; atom.global.exch.b32 %r3, [%rd1], 9;\n"
      "red.global.add.u32 [%rd1], 7; xor.b32 %r4, %r2, %r3;\n"
      "atom.global.add.u32 %r5, [%rd1], %r4; red.global.add.u32 [%rd1], %r5;",
      kAllThreads);
  ASSERT_EQ(outcome.fault, "");
  for (const std::uint32_t word : outcome.words) {
    ASSERT_EQ(word, 16 + ((kBefore + 5) ^ (kBefore + 11)) + 16);
  }
}

// What is stored later stays.
TEST(GatheredSums, AreLostToALaterStore) {
  const Outcome outcome = run_grid(
      "red.global.add.u32 [%rd1], 5; st.global.u32 [%rd1], %r0; red.global.add.u32 [%rd1], 1;",
      kAllThreads);
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t i = 0; i < outcome.words.size(); ++i) ASSERT_EQ(outcome.words[i], i + 1);
}

// A thread reads behind a barrier what its neighbour has added. Many rounds, so that the blocks'
// reads have been carried out the fast way before.
TEST(GatheredSums, AreReadByTheBlockBehindABarrier) {
  const Outcome outcome = run_grid(
      "mov.u32 %r9, 0; mov.u32 %r10, 0;\n"
      "xor.b32 %r2, %r62, 37; sub.u32 %r3, %r0, %r62; add.u32 %r2, %r2, %r3;\n"
      "mul.wide.u32 %rd5, %r2, 4; add.u64 %rd6, %rd3, %rd5;\n"
      "loop: bar.sync 0; red.global.add.u32 [%rd1], 3;\n"
      "bar.sync 0; ld.global.u32 %r4, [%rd6]; sub.u32 %r4, %r4, 0xcdcdcdcd;\n"
      "mad.lo.u32 %r5, %r9, 3, 3; setp.ne.u32 %p1, %r4, %r5; @%p1 add.u32 %r10, %r10, 1;\n"
      "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 9; @%p1 bra loop;\n"
      "bar.sync 0; st.global.u32 [%rd1], %r10;",
      kAllThreads);
  ASSERT_EQ(outcome.fault, "");
  for (const std::uint32_t word : outcome.words) ASSERT_EQ(word, 0);
}

// Without a fence: the blocks count themselves, and wait until all are there.
TEST(GatheredSums, AreSeenByBlocksThatWaitForThem) {
  constexpr std::uint32_t kWaiting = 12;
  const Outcome outcome = run_grid(
      "red.global.add.u32 [%rd3], 1;\n"
      "wait: ld.volatile.global.u32 %r2, [%rd3]; sub.u32 %r2, %r2, 0xcdcdcdcd;\n"
      "setp.lt.u32 %p1, %r2, " +
          std::to_string(kWaiting * kThreads) + "; @%p1 bra wait;",
      1, kWaiting);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[0], kBefore + kWaiting * kThreads);
}

// The first block adds nothing; those it waits for do not wait.
TEST(GatheredSums, OfBlocksThatHaveEndedAreSeenByOneThatWaits) {
  const Outcome outcome = run_grid(
      "setp.eq.u32 %p2, %r60, 0; @%p2 bra wait;\n"
      "red.global.add.u32 [%rd3], 1; ret;\n"
      "wait: ld.volatile.global.u32 %r2, [%rd3]; sub.u32 %r2, %r2, 0xcdcdcdcd;\n"
      "setp.lt.u32 %p1, %r2, " +
          std::to_string((kBlocks - 1) * kThreads) + "; @%p1 bra wait;",
      1);
  ASSERT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.words[0], kBefore + (kBlocks - 1) * kThreads);
}

// The words of a double word, and the whole.
TEST(GatheredSums, OfTwoSizesInTheSameMemoryAddUp) {
  const Outcome outcome = run_grid(
      "and.b64 %rd6, %rd1, -8; red.global.add.u32 [%rd1], 5; red.global.add.u64 [%rd6], 3;\n"
      "red.global.add.u32 [%rd1], 5; red.global.add.u64 [%rd6], 3;",
      kAllThreads);
  ASSERT_EQ(outcome.fault, "");
  for (std::uint32_t i = 0; i < outcome.words.size(); ++i) {
    ASSERT_EQ(outcome.words[i], kBefore + 10 + (i % 2 == 0 ? 12 : 0)) << i;
  }
}

TEST(GatheredSums, PastTheEndAreAFaultWithItsLine) {
  const Outcome outcome = run_grid(
      "mov.u32 %r2, 0;\n"
      "loop: red.global.add.u32 [%rd3], 1; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 50;\n"
      "@%p1 bra loop; red.global.add.u32 [%rd3+4], 1;",
      1);
  EXPECT_EQ(outcome.kind, runtime::FaultKind::out_of_bounds);
  EXPECT_NE(outcome.fault.find("atomic operation of 4 bytes"), std::string::npos) << outcome.fault;
}

}  // namespace
}  // namespace emulator::testing
