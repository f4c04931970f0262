// What verify concludes from runs of a program, and what it reads of them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/programs/verification_file.h"
#include "programs/profile/product_json.h"
#include "programs/verify/guilty.h"
#include "programs/verify/measure.h"
#include "support/scratch_folder.h"

namespace autokernel::programs {
namespace {

namespace fs = std::filesystem;
using Conclusion = ProgramSpeedup::Conclusion;
using test::ScratchFolder;
using testing::Each;
using testing::HasSubstr;
using Numbers = std::vector<std::size_t>;

[[nodiscard]] Numbers first(std::size_t count) {
  Numbers numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

TEST(GuiltyKernel, IsFoundWhicheverOfTwelveItIsInFiveRunsAtMost) {
  for (std::size_t guilty = 0; guilty < 12; ++guilty) {
    int runs = 0;
    const auto found = guilty_one(first(12), [&](const Numbers& some) {
      ++runs;
      return std::ranges::find(some, guilty) != some.end();
    });
    EXPECT_EQ(found, guilty);
    EXPECT_LE(runs, 5) << guilty;
  }
}

TEST(GuiltyKernel, IsNoneWhereItTakesTwo) {
  const auto needs_two = [](const Numbers& some) {
    return std::ranges::find(some, 1U) != some.end() && std::ranges::find(some, 6U) != some.end();
  };
  EXPECT_EQ(guilty_one(first(8), needs_two), std::nullopt);
}

TEST(GuiltyKernel, IsTriedByItself) {
  int runs = 0;
  EXPECT_EQ(guilty_one({4}, [&](const Numbers&) { return ++runs > 0; }), 4U);
  EXPECT_EQ(runs, 1);
}

// Times of a program around a second, with that much noise in each; ours takes `share` of it.
[[nodiscard]] std::vector<PairOfRuns> pairs_of_runs(int count, double share, double noise,
                                                    unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> deviation(0, noise);
  std::vector<PairOfRuns> pairs;
  for (int i = 0; i < count; ++i) {
    pairs.push_back({1 + deviation(random), share * (1 + deviation(random))});
  }
  return pairs;
}

// As verify looks: after 10 pairs, and again while it is unclear.
[[nodiscard]] ProgramSpeedup concluded(double share, double noise, unsigned seed) {
  constexpr int kMost = 40;
  const std::vector<PairOfRuns> all = pairs_of_runs(kMost, share, noise, seed);
  for (int look = 10;; look = next_look_after(look)) {
    const int count = std::min(look, kMost);
    const ProgramSpeedup speedup =
        speedup_of({all.begin(), all.begin() + count}, false, count == kMost);
    if (count == kMost || speedup.conclusion != Conclusion::unclear) return speedup;
  }
}

TEST(SpeedupOfProgram, FindsAGainAndALossOfFivePercent) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const ProgramSpeedup gain = concluded(0.95, 0.01, seed);
    EXPECT_EQ(gain.conclusion, Conclusion::faster) << seed;
    const ProgramSpeedup loss = concluded(1.05, 0.01, seed);
    EXPECT_EQ(loss.conclusion, Conclusion::slower) << seed;
  }
}

TEST(SpeedupOfProgram, CallsNoNoiseAGain) {
  int claimed = 0;
  int missed = 0;
  constexpr unsigned kTrials = 2000;
  for (unsigned seed = 0; seed < kTrials; ++seed) {
    const ProgramSpeedup speedup = concluded(1, 0.03, seed);
    claimed += speedup.conclusion == Conclusion::faster || speedup.conclusion == Conclusion::slower
                   ? 1
                   : 0;
    missed += speedup.low > 1 || speedup.high < 1 ? 1 : 0;
  }
  EXPECT_LE(claimed, 2);
  EXPECT_LE(missed, kTrials / 50);
}

TEST(SpeedupOfProgram, IsOfTheMeasureThatCounts) {
  const std::vector<PairOfRuns> pairs(12, PairOfRuns{100, 125});
  EXPECT_DOUBLE_EQ(speedup_of(pairs, true, true).ratio, 1.25);
  EXPECT_DOUBLE_EQ(speedup_of(pairs, false, true).ratio, 0.8);
}

TEST(MeasuredRun, TakesTheLastNumberThatThePatternFinds) {
  ProgramRun run;
  run.seconds = 2.5;
  run.output = "warming up: 3 tokens/s\n12.5 tokens/s\n-4 tokens/s 1e2 tokens/s\nend\n";
  EXPECT_EQ(measured({}, run), 2.5);
  EXPECT_EQ(measured({"([0-9.e]+) tokens/s", true}, run), 100);
  EXPECT_THROW((void)measured({"([0-9.]+) images/s"}, run), Error);
  EXPECT_THROW((void)measured({"[0-9.]+ tokens/s"}, run), Error);
  EXPECT_THROW((void)measured({"([0-9"}, run), Error);
}

TEST(MeasuredRun, ReadsLongLines) {
  ProgramRun run;
  run.output = std::string(std::size_t{1} << 22U, 'x') + "\nrate 7\n";
  EXPECT_EQ(measured({"rate (.*)"}, run), 7);
}

TEST(ProductOfProgram, IsSpelledAsTheRecordHasIt) {
  const std::string text =
      R"({"call":"cublasLtMatmul","m":32,"n":16,"k":64,"batch":3,"transposes":"TN",)"
      R"("a_type":"R_16BF","b_type":"R_16BF","c_type":"R_16BF","d_type":"R_16BF",)"
      R"("compute_type":"32F","scale_type":"R_32F","lda":64,"ldb":64,"ldc":32,"ldd":32,)"
      R"("stride_a":2048,"stride_b":1024,"stride_c":512,"stride_d":512,"epilogue":"BIAS",)"
      R"("order":"CCCC","pointer_array":false,"alpha":0.5,"beta":null})";
  const auto product = product_of_json(text);
  ASSERT_TRUE(product);
  EXPECT_EQ(product_text(*product), text);
}

// A file of a process, with that many kernels, in each of which every word is its number.
[[nodiscard]] std::string tally(std::uint64_t kernels) {
  constexpr std::uint64_t kWords = 19;
  std::vector<std::uint64_t> words = {0x31594c4c41544b41, 77, kernels, 0};
  for (std::uint64_t i = 0; i < kernels; ++i) {
    for (std::uint64_t word = 0; word < kWords; ++word) words.push_back(word);
  }
  std::string bytes(words.size() * sizeof words[0], '\0');
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

class TalliesOfProgram : public testing::Test {
 protected:
  ScratchFolder scratch_;
};

TEST_F(TalliesOfProgram, AreSumsOverProcesses) {
  scratch_.write(scratch_.path() / "77-1.tally", tally(2));
  scratch_.write(scratch_.path() / "78-1.tally", tally(2));
  const ProgramLaunches launches = read_tallies(scratch_.path(), 2);
  EXPECT_EQ(launches.processes, 2U);
  ASSERT_EQ(launches.kernels.size(), 2U);
  const ReplacedLaunches& kernel = launches.kernels[1];
  EXPECT_EQ(kernel.of(LaunchOutcome::replaced_in_graph), 2U);
  EXPECT_EQ(kernel.of(LaunchOutcome::refused), 20U);
  EXPECT_EQ(kernel.checked, 22U);
  EXPECT_EQ(kernel.wrong, 24U);
  EXPECT_EQ(kernel.seen(), 110U);
  ASSERT_TRUE(kernel.first_wrong);
  EXPECT_EQ(kernel.first_wrong->launch, 13U);
  EXPECT_EQ(kernel.driver_error, 18U);
}

TEST_F(TalliesOfProgram, CountForNothingWhereTheyAreCutOrOfAnother) {
  const std::string whole = tally(1);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    scratch_.write(scratch_.path() / "1-1.tally", whole.substr(0, size));
    EXPECT_EQ(read_tallies(scratch_.path(), 1).processes, 0U) << size;
  }
  scratch_.write(scratch_.path() / "1-1.tally", tally(3));
  EXPECT_EQ(read_tallies(scratch_.path(), 1).processes, 0U);
  scratch_.write(scratch_.path() / "1-1.tally", whole);
  EXPECT_EQ(read_tallies(scratch_.path(), 1).processes, 1U);
}

TEST_F(TalliesOfProgram, AreNotReadThroughLinks) {
  const fs::path elsewhere = scratch_.path() / "elsewhere";
  scratch_.write(elsewhere, tally(1));
  fs::create_symlink(elsewhere, scratch_.path() / "1-1.tally");
  EXPECT_EQ(read_tallies(scratch_.path(), 1).processes, 0U);
}

class KeptVerifications : public testing::Test {
 protected:
  KeptVerifications() { fs::create_directories(verified_folder(scratch_.path())); }
  ScratchFolder scratch_;
};

TEST_F(KeptVerifications, AreReadAsTheyWereWritten) {
  KeptVerification kept{
      .program = "infer.py", .device = "NVIDIA H200", .date = "2026-11-26T00:00:00Z"};
  kept.kernels.push_back(
      {.folder = "softmax", .sha256 = "ab", .alone = 1.5, .seen = 7, .replaced = 6});
  kept.kernels.push_back({.folder = "norm", .verdict = KernelVerdict::guilty, .why = "so"});
  kept.speedup = ProgramSpeedup{.pairs = 12, .ratio = 1.25, .conclusion = Conclusion::faster};
  write_verification(scratch_.path(), kept);
  const auto read = read_verification(scratch_.path());
  ASSERT_TRUE(read);
  EXPECT_EQ(verification_json(*read), verification_json(kept));
  ASSERT_EQ(read->right().size(), 1U);
  EXPECT_EQ(read->right()[0].folder, "softmax");
}

TEST_F(KeptVerifications, AreRefusedWhereTheyAreCut) {
  KeptVerification kept{.program = "infer.py"};
  kept.kernels.push_back({.folder = "softmax"});
  const std::string whole = verification_json(kept);
  const fs::path file = verified_folder(scratch_.path()) / "verification.json";
  for (std::size_t size = 0; size + 2 < whole.size(); ++size) {
    scratch_.write(file, whole.substr(0, size));
    EXPECT_THROW((void)read_verification(scratch_.path()), Error) << size;
  }
}

TEST_F(KeptVerifications, AreNoneWhereNothingWasVerified) {
  EXPECT_FALSE(read_verification(scratch_.path() / "nowhere"));
}

}  // namespace
}  // namespace autokernel::programs
