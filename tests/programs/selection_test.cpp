#include "autokernel/programs/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autokernel/base/error.h"
#include "programs/sample_profile.h"

namespace autokernel::programs {
namespace {

using sample::SampleProfile;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Three steps of two launches, each within a range of its thread, and one launch of another thread.
[[nodiscard]] Profile steps() {
  SampleProfile sample;
  for (Nanoseconds step = 0; step < 3; ++step) {
    const Nanoseconds begin = 10'000 * step;
    for (const Nanoseconds called : {begin + 100, begin + 200}) {
      // They run later than they are asked for.
      Launch& launch = sample.launch("kernel", called + 20'000, called + 20'050);
      launch.thread = 1;
      launch.called = called;
    }
    sample.profile.ranges.push_back(
        {.text = "step", .process = 0, .thread = 1, .start = begin, .end = begin + 1000});
  }
  Launch& other = sample.launch("other", 500, 600);
  other.thread = 2;
  other.called = 150;
  return sample.profile;
}

TEST(Selection, TakesWhatWasLaunchedInRangesOfThatThread) {
  const Selected all = selected(steps(), {.range = "step"});
  EXPECT_EQ(all.profile.launches.size(), 6U);
  EXPECT_EQ(all.part, "3 of 3 ranges 'step'");
  EXPECT_EQ(all.repetitions, 3);
}

TEST(Selection, LeavesOutRangesThatWarmUpAndThoseBeyondTheCount) {
  const Selected one = selected(steps(), {.range = "st*", .warmup = 1, .most = 1});
  ASSERT_EQ(one.profile.launches.size(), 2U);
  EXPECT_EQ(one.profile.launches[0].called, 10'100);
}

TEST(Selection, NamesTheRangesThereAre) {
  EXPECT_THAT([] { (void)selected(steps(), {.range = "stop"}); },
              ThrowsMessage<Error>(HasSubstr("there are 'step' (3)")));
  EXPECT_THAT([] { (void)selected(SampleProfile().profile, {.range = "x"}); },
              ThrowsMessage<Error>(HasSubstr("marked no range with NVTX")));
}

TEST(Selection, SaysWhereAWarmupLeavesNothing) {
  EXPECT_THAT([] { (void)selected(steps(), {.range = "step", .warmup = 3}); },
              ThrowsMessage<Error>(HasSubstr("the profile has 3 ranges 'step'")));
}

TEST(Selection, TakesWholeIterations) {
  SampleProfile sample;
  sample.launch("first", 0, 10);
  for (Nanoseconds step = 0; step < 5; ++step) {
    const Nanoseconds begin = 1000 + 1000 * step;
    sample.launch("a", begin, begin + 100);
    sample.launch("b", begin + 100, begin + 300);
  }
  sample.launch("last", 9000, 9100);
  const Selected some = selected(sample.profile, {.range = {}, .iterations = true, .warmup = 1});
  EXPECT_EQ(some.profile.launches.size(), 2U * static_cast<unsigned>(some.repetitions));
  EXPECT_GE(some.repetitions, 3);
  for (const Launch& launch : some.profile.launches) {
    EXPECT_THAT(some.profile.names[launch.name], testing::AnyOf("a", "b"));
  }
}

TEST(Selection, SaysWhereNothingIsRepeated) {
  SampleProfile sample;
  for (int i = 0; i < 20; ++i) sample.launch("kernel" + std::to_string(i), 10 * i, 10 * i + 5);
  EXPECT_THAT([&] { (void)selected(sample.profile, {.range = {}, .iterations = true}); },
              ThrowsMessage<Error>(HasSubstr("--range NAME")));
}

}  // namespace
}  // namespace autokernel::programs
