#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "random/comparison.h"
#include "random/coverage.h"
#include "random/generator.h"
#include "support/full_test.h"

namespace emulator::testing::random {
namespace {

using jit::Compilation;
using lower::EngineChoice;

// More, from other seeds: build/release/tests/emulator_random_programs FIRST COUNT
constexpr std::uint64_t kPrograms = 160;
constexpr std::uint64_t kPerTest = 20;
constexpr std::uint64_t kPerShortTest = 5;  // without AUTOKERNEL_TEST_FULL=1
constexpr std::uint64_t kPerWay = 16;

// The number of a portion of the programs. Even ones run by warps, odd ones by threads.
class RandomPrograms : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Portion, RandomPrograms,
                         ::testing::Range<std::uint64_t>(0, kPrograms / kPerTest));

TEST_P(RandomPrograms, ComputeWhatPtxSays) {
  const EngineChoice engine = GetParam() % 2 == 0 ? EngineChoice::warps : EngineChoice::threads;
  for (std::uint64_t i = 0; i < (everything_is_wanted() ? kPerTest : kPerShortTest); ++i) {
    const Program program = generate(GetParam() * kPerTest + i);
    const auto found = difference(program, engine, Compilation::automatic);
    ASSERT_EQ(found.value_or(""), "") << "seed " << program.seed << "\n"
                                      << ptx_of(shrunk(program, engine, Compilation::automatic));
  }
}

// Each way of compiling against the interpreter.
class CompiledPrograms : public ::testing::TestWithParam<std::pair<Compilation, EngineChoice>> {};
INSTANTIATE_TEST_SUITE_P(Way, CompiledPrograms,
                         ::testing::Values(std::pair(Compilation::parts, EngineChoice::warps),
                                           std::pair(Compilation::plain, EngineChoice::warps),
                                           std::pair(Compilation::plain, EngineChoice::threads)));

TEST_P(CompiledPrograms, ComputeWhatPtxSays) {
  const auto [compilation, engine] = GetParam();
  for (std::uint64_t seed = kPrograms; seed < kPrograms + kPerWay; ++seed) {
    const Program program = generate(seed);
    const auto found = difference(program, engine, compilation);
    ASSERT_EQ(found.value_or(""), "") << "seed " << program.seed << "\n"
                                      << ptx_of(shrunk(program, engine, compilation));
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
