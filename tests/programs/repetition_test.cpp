#include "programs/profile/repetition.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace autokernel::programs {
namespace {

struct Sequence {
  std::vector<std::uint32_t> launches;
  std::vector<double> idle;

  void add(std::uint32_t kind, double idle_before = 0) {
    launches.push_back(kind);
    idle.push_back(idle_before);
  }
  [[nodiscard]] std::optional<Repetition> found() const { return repetition_in(launches, idle); }
};

TEST(Repetition, IsFoundBehindWhatComesBefore) {
  Sequence sequence;
  for (const std::uint32_t kind : {90U, 91U, 92U}) sequence.add(kind);
  for (int step = 0; step < 5; ++step) {
    for (std::uint32_t kind = 0; kind < 4; ++kind) sequence.add(kind, kind == 0 ? 50 : 1);
  }
  const auto found = sequence.found();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->length, 4U);
  EXPECT_EQ(found->first % 4, 3U);
  EXPECT_GE(found->count, 4U);
}

TEST(Repetition, BeginsAfterTheLongestPause) {
  Sequence sequence;
  for (int step = 0; step < 6; ++step) {
    for (const std::uint32_t kind : {5U, 6U, 7U}) sequence.add(kind, kind == 6 ? 100 : 1);
  }
  const auto found = sequence.found();
  ASSERT_TRUE(found);
  EXPECT_EQ(sequence.launches[found->first], 6U);
}

TEST(Repetition, OfLayersIsPutTogetherByTheLongPausesBetweenSteps) {
  Sequence sequence;
  for (int step = 0; step < 5; ++step) {
    for (int layer = 0; layer < 6; ++layer) {
      for (std::uint32_t kind = 0; kind < 3; ++kind) {
        const bool begins_step = layer == 0 && kind == 0;
        sequence.add(kind, begins_step ? 200 : 2);
      }
    }
  }
  const auto found = sequence.found();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->length, 18U);
  EXPECT_EQ(found->count, 5U);
}

TEST(Repetition, IsNotSeenInWhatHappensTwiceOrNever) {
  Sequence twice;
  for (int step = 0; step < 2; ++step) {
    for (std::uint32_t kind = 0; kind < 4; ++kind) twice.add(kind);
  }
  EXPECT_FALSE(twice.found());
  Sequence never;
  for (std::uint32_t kind = 0; kind < 100; ++kind) never.add(kind);
  EXPECT_FALSE(never.found());
  EXPECT_FALSE(repetition_in({}, {}));
}

}  // namespace
}  // namespace autokernel::programs
