#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/random/comparison.h"
#include "emulator/random/coverage.h"
#include "emulator/random/generator.h"

namespace emulator::testing::random {
namespace {

using lower::EngineChoice;

// More, from other seeds: build/release/tests/emulator_random_programs FIRST COUNT
constexpr std::uint64_t kPrograms = 320;
constexpr std::uint64_t kPerTest = 20;

// The number of a portion of the programs. Even ones run by warps, odd ones by threads.
class RandomPrograms : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Portion, RandomPrograms,
                         ::testing::Range<std::uint64_t>(0, kPrograms / kPerTest));

TEST_P(RandomPrograms, ComputeWhatPtxSays) {
  const EngineChoice engine = GetParam() % 2 == 0 ? EngineChoice::warps : EngineChoice::threads;
  for (std::uint64_t i = 0; i < kPerTest; ++i) {
    const Program program = generate(GetParam() * kPerTest + i);
    const auto found = difference(program, engine);
    ASSERT_EQ(found.value_or(""), "") << "seed " << program.seed << "\n"
                                      << ptx_of(shrunk(program, engine));
  }
}

TEST(RandomPrograms, UseEveryOperation) {
  Coverage coverage;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) coverage.add(generate(seed));

  EXPECT_EQ(coverage.missing(), std::vector<std::string>());
}

TEST(RandomPrograms, AreTheSameForTheSameSeed) {
  EXPECT_EQ(ptx_of(generate(7)), ptx_of(generate(7)));
  EXPECT_NE(ptx_of(generate(7)), ptx_of(generate(8)));
}

}  // namespace
}  // namespace emulator::testing::random
