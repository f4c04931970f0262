#include "trial/supervise/harness_memory.h"

#include <gtest/gtest.h>

#include "trial/inputs/case_text.h"

namespace autokernel::trial {
namespace {

// Softmax of 2048 x 32000 was refused: 4100 MiB were held for its 250 MiB of tensors, nearly all of
// it by the harness.
TEST(HarnessMemory, CoversSeveralCopiesOfEveryTensorAndResultsInFp64) {
  const cases::Case problem = product_case("bf16", "f32", 1024, 512, 256);
  constexpr std::uint64_t kRows = 1024;
  constexpr std::uint64_t kColumns = 512;
  constexpr std::uint64_t kDepth = 256;
  const std::uint64_t inputs = 2 * kDepth * (kRows + kColumns);
  const std::uint64_t results = kRows * kColumns;
  const std::uint64_t bytes = harness_bytes(problem, problem.sizes.at("default"));
  EXPECT_GE(bytes, 10 * inputs + results * (10 * sizeof(float) + 4 * sizeof(double)));
  EXPECT_LE(bytes, 20 * inputs + results * (20 * sizeof(float) + 8 * sizeof(double)));
}

TEST(HarnessMemory, GrowsWithTheCase) {
  const cases::Case small = product_case("f16", "f16", 8, 8, 8);
  const cases::Case large = product_case("f16", "f16", 80, 80, 80);
  EXPECT_EQ(harness_bytes(large, large.sizes.at("default")),
            100 * harness_bytes(small, small.sizes.at("default")));
}

}  // namespace
}  // namespace autokernel::trial
