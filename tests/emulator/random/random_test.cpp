#include <gtest/gtest.h>

#include <set>
#include <string>

#include "emulator/random/comparison.h"
#include "emulator/random/coverage.h"
#include "emulator/random/generator.h"

namespace emulator::testing::random {
namespace {

// More, from other seeds: build/release/tests/emulator_random_programs FIRST COUNT
constexpr std::uint64_t kPrograms = 320;
constexpr std::uint64_t kShards = 8;

class RandomPrograms : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Shard, RandomPrograms, ::testing::Range<std::uint64_t>(0, kShards));

TEST_P(RandomPrograms, ComputeWhatPtxSays) {
  for (std::uint64_t seed = GetParam(); seed < kPrograms; seed += kShards) {
    const Program program = generate(seed);
    const auto found = difference(program);
    ASSERT_FALSE(found.has_value()) << "seed " << seed << ": " << *found << "\n"
                                    << ptx_of(shrunk(program));
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
