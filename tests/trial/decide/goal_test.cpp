#include "autokernel/trial/goal.h"

#include <gmock/gmock.h>

#include <cmath>

#include "autokernel/trial/decision.h"

namespace autokernel::trial {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kLeastGain = 0.005;

// Of a hundred pairs with that mean gain and that error of its logarithm.
PartOfScore part(const std::string& size, double weight, double gain, double error,
                 Outcome outcome) {
  PartOfScore part{.size = size, .weight = weight, .comparison = {}};
  PairedComparison& comparison = part.comparison;
  comparison.incumbent_name = "HEAD";
  comparison.min_gain = kLeastGain;
  comparison.gain = gain;
  comparison.standard_error = error;
  comparison.values = 80;
  comparison.plain_gain = gain;
  comparison.outcome = outcome;
  comparison.reason = "its own words";
  comparison.incumbent_times.samples_us.assign(100, 10.0);
  return part;
}

TEST(Score, IsTheMeanOfLogRatiosByWeight) {
  const PairedComparison score = score_of({part("default", 1, 0.10, 0.0005, Outcome::faster),
                                           part("large", 3, -0.02, 0.0005, Outcome::not_faster)});

  const double mean = (std::log(1 / 0.90) + 3 * std::log(1 / 1.02)) / 4;
  EXPECT_NEAR(score.gain, 1 - std::exp(-mean), 1e-12);
  EXPECT_NEAR(score.standard_error, 0.0005 * std::sqrt(1 + 9) / 4, 1e-12);
  EXPECT_EQ(score.outcome, Outcome::faster);
  EXPECT_THAT(score.reason, AllOf(HasSubstr("by the score of 2 sizes against HEAD"),
                                  HasSubstr("default -10.00 %, large +2.00 %")));
}

TEST(Score, OfOneSizeIsItsComparison) {
  const PartOfScore one = part("default", 2, 0.03, 0.0004, Outcome::faster);
  const PairedComparison score = score_of({one});

  EXPECT_NEAR(score.gain, one.comparison.gain, 1e-12);
  EXPECT_NEAR(score.standard_error, one.comparison.standard_error, 1e-12);
  EXPECT_EQ(score.values, one.comparison.values);
  EXPECT_EQ(score.outcome, Outcome::faster);
}

TEST(Score, IsNotFasterWhereTheGainsAreLessThanTheLosses) {
  const PairedComparison score = score_of({part("a", 1, 0.02, 0.0005, Outcome::faster),
                                           part("b", 1, -0.03, 0.0005, Outcome::not_faster)});

  EXPECT_EQ(score.outcome, Outcome::not_faster);
  EXPECT_THAT(score.reason, HasSubstr("the minimum gain is 0.50 %"));
}

TEST(Score, IsInconclusiveWhereOneSizeIsTooNoisy) {
  const PairedComparison score = score_of({part("a", 1, 0.02, 0.0005, Outcome::faster),
                                           part("b", 1, 0.01, 0.02, Outcome::inconclusive)});

  EXPECT_EQ(score.outcome, Outcome::inconclusive);
}

TEST(Score, HasTheDegreesOfFreedomOfItsNoisiestSize) {
  PartOfScore few = part("b", 1, 0.02, 0.01, Outcome::inconclusive);
  few.comparison.values = 12;
  const PairedComparison score =
      score_of({part("a", 1, 0.02, 1e-6, Outcome::faster), std::move(few)});

  EXPECT_EQ(score.values, 12);
}

TEST(Score, HeedsWhatSpeaksAgainstAGainAtOneSize) {
  const PartOfScore gain = part("a", 1, 0.10, 0.0005, Outcome::faster);
  for (const Outcome outcome : {Outcome::not_faster, Outcome::inconclusive}) {
    const PairedComparison score = score_of({gain, part("b", 1, 0.10, 0.0005, outcome)});

    EXPECT_EQ(score.outcome, outcome);
    EXPECT_THAT(score.reason, HasSubstr("; at b: its own words"));
  }
}

TEST(Score, IsNotFasterWithSlowLaunchesOfTheCandidatesOwnAtAnySize) {
  const PartOfScore gain = part("a", 1, 0.50, 0.0005, Outcome::faster);
  PartOfScore erratic = part("b", 1, 0.001, 0.0005, Outcome::not_faster);
  erratic.comparison.slow_minority = 1e-6;
  erratic.comparison.plain_gain = -1.5;
  const PairedComparison score = score_of({gain, erratic});

  EXPECT_EQ(score.outcome, Outcome::not_faster);
  EXPECT_THAT(score.reason, HasSubstr("at b: its slowest launches are slower"));
}

TEST(Score, IsInconclusiveWithALossInPlainMeans) {
  PartOfScore loses = part("b", 1, 0, 0.0005, Outcome::not_faster);
  loses.comparison.plain_gain = -1.5;

  EXPECT_EQ(score_of({part("a", 1, 0.50, 0.0005, Outcome::faster), loses}).outcome,
            Outcome::inconclusive);
}

TEST(Score, IsInconclusiveWhereAnIncumbentWasDisturbedAndNothingConfirmed) {
  PartOfScore disturbed = part("b", 1, 0, 0.0005, Outcome::not_faster);
  disturbed.comparison.disturbance = "it takes longer beside the candidate";
  const PairedComparison score = score_of({part("a", 1, 0.10, 0.0005, Outcome::faster), disturbed});

  EXPECT_EQ(score.outcome, Outcome::inconclusive);
  EXPECT_THAT(score.reason, HasSubstr("at b: it takes longer beside the candidate"));
}

TEST(Score, IsInconclusiveWhereNoSizeShowsTheGain) {
  const PartOfScore little = part("a", 1, 0.006, 0.0009, Outcome::inconclusive);
  EXPECT_EQ(score_of({little, little, little, little}).outcome, Outcome::inconclusive);
}

TEST(Score, IsAsFastOnlyWhereEachSizeIs) {
  PartOfScore a = part("a", 1, 0, 0.0005, Outcome::not_faster);
  PartOfScore b = a;
  a.comparison.as_fast = true;

  EXPECT_TRUE(score_of({a, a}).as_fast);
  EXPECT_FALSE(score_of({a, b}).as_fast);
}

TEST(GuardRails, NameWhatIsOverThem) {
  Result result;
  result.resources = ResourceReport{.registers = 140, .spill_bytes = 8, .shared_bytes = 50000};
  result.differences = Differences{.max_abs = 0.5, .max_rel = 0.25};

  cases::Goal goal;
  EXPECT_THAT(guard_fault(goal, result), IsEmpty());
  goal.registers = 140;
  goal.spill_bytes = 8;
  goal.shared_bytes = 50000;
  goal.max_abs_error = 0.5;
  goal.max_rel_error = 0.25;
  EXPECT_THAT(guard_fault(goal, result), IsEmpty());

  goal.max_rel_error = 0.125;
  EXPECT_THAT(guard_fault(goal, result),
              HasSubstr("it has 0.25 as its largest relative error, and 0.125"));
  goal.max_abs_error = 0.25;
  EXPECT_THAT(guard_fault(goal, result),
              HasSubstr("it has 0.5 as its largest absolute error, and 0.25"));
  goal.shared_bytes = 49152;
  EXPECT_THAT(guard_fault(goal, result), HasSubstr("50000 bytes of shared memory per block"));
  goal.spill_bytes = 0;
  EXPECT_THAT(guard_fault(goal, result), HasSubstr("8 bytes spilled per thread"));
  goal.registers = 128;
  EXPECT_EQ(guard_fault(goal, result), "it has 140 registers per thread, and 128 is allowed");
}

}  // namespace
}  // namespace autokernel::trial
