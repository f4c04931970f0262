#include "trial/decide/pairing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "autokernel/trial/decision.h"

namespace autokernel::trial {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Times around 100 us with a hundredth of noise.
class Clock {
 public:
  double around(double microseconds) { return microseconds * (1 + noise_(random_)); }

 private:
  std::mt19937 random_{1};
  std::normal_distribution<double> noise_{0, 0.01};
};

// Adds pairs for as long as more are needed.
int fill(Pairing& pairing, Clock& clock, double candidate_us, double incumbent_us) {
  int pairs = 0;
  for (; pairing.needs_more(); ++pairs) {
    pairing.add_pair(clock.around(candidate_us), clock.around(incumbent_us), InputKind::declared);
  }
  return pairs;
}

std::vector<double> times(Clock& clock, double microseconds) {
  std::vector<double> all;
  all.reserve(20);
  for (int i = 0; i < 20; ++i) all.push_back(clock.around(microseconds));
  return all;
}

TEST(Pairing, FindsALargeGainOnTheFewestPairs) {
  Pairing pairing("the incumbent", 0.02);
  Clock clock;
  EXPECT_EQ(fill(pairing, clock, 50, 100), kFirstLook);

  const PairedComparison comparison = pairing.comparison();
  EXPECT_EQ(comparison.outcome, Outcome::faster);
  EXPECT_NEAR(comparison.gain, 0.5, 0.01);
  EXPECT_THAT(comparison.reason, HasSubstr("-50."));
  EXPECT_THAT(comparison.reason, HasSubstr("the incumbent"));
}

TEST(Pairing, LooksFasterFromTheMinGainOn) {
  Pairing pairing("the incumbent", 0.02);
  EXPECT_FALSE(pairing.looks_faster());
  pairing.add_pair(97, 100, InputKind::declared);
  EXPECT_FALSE(pairing.looks_faster()) << "one pair says nothing";
  pairing.add_pair(97, 100, InputKind::declared);
  EXPECT_TRUE(pairing.looks_faster());
  pairing.add_pair(100, 100, InputKind::declared);
  EXPECT_TRUE(pairing.looks_faster()) << "2.03 % in the mean";
  pairing.add_pair(100, 100, InputKind::declared);
  EXPECT_FALSE(pairing.looks_faster());
}

TEST(Pairing, StatesTheMinimumGainWhereThereIsNoGain) {
  Pairing pairing("the incumbent", 0.02);
  Clock clock;
  static_cast<void>(fill(pairing, clock, 100, 100));

  const PairedComparison comparison = pairing.comparison();
  EXPECT_EQ(comparison.outcome, Outcome::not_faster);
  EXPECT_TRUE(comparison.as_fast);
  EXPECT_THAT(comparison.reason, HasSubstr("the minimum gain is 2.00 %"));
}

TEST(Pairing, AGainThatIsMadeInconclusiveIsNone) {
  PairedComparison comparison;
  comparison.outcome = Outcome::faster;
  comparison.reason = "-10 % time";
  comparison.as_fast = true;
  make_inconclusive(comparison, "the GPU was too hot");
  EXPECT_EQ(comparison.outcome, Outcome::inconclusive);
  EXPECT_FALSE(comparison.as_fast);
  EXPECT_EQ(comparison.reason, "-10 % time; the GPU was too hot");
}

TEST(Pairing, ALossThatIsMadeInconclusiveStaysALoss) {
  PairedComparison comparison;
  comparison.outcome = Outcome::not_faster;
  make_inconclusive(comparison, "the GPU was too hot");
  EXPECT_EQ(comparison.outcome, Outcome::not_faster);
}

TEST(Pairing, EndsInconclusiveWhereTheNoiseIsTooMuch) {
  Pairing pairing("the incumbent", 0.0001);
  Clock clock;
  EXPECT_EQ(fill(pairing, clock, 99.99, 100), kMostPairs);
  EXPECT_EQ(pairing.comparison().outcome, Outcome::inconclusive);
}

TEST(Pairing, NoticesAnIncumbentThatIsSlowerBesideTheCandidate) {
  Pairing pairing("the incumbent", 0.02);
  Clock clock;
  pairing.add_alone(times(clock, 90));
  static_cast<void>(fill(pairing, clock, 90, 100));
  pairing.add_alone(times(clock, 90));
  EXPECT_THAT(pairing.comparison().disturbance, HasSubstr("the incumbent takes"));
}

TEST(Pairing, DoesNotTakeAMachineThatBecomesSlowerForADisturbance) {
  Pairing pairing("the incumbent", 0.02);
  Clock clock;
  pairing.add_alone(times(clock, 90));
  static_cast<void>(fill(pairing, clock, 80, 100));
  pairing.add_alone(times(clock, 101));
  EXPECT_THAT(pairing.comparison().disturbance, IsEmpty());
}

// Adds pairs on either kind of inputs in turn, with a gain of its own for each.
void fill_by_turns(Pairing& pairing, Clock& clock, double on_exact_us, double on_declared_us) {
  for (int pairs = 0; pairing.needs_more(); ++pairs) {
    const bool exact = pairs % 2 == 0;
    pairing.add_pair(clock.around(exact ? on_exact_us : on_declared_us), clock.around(100),
                     exact ? InputKind::exact : InputKind::declared);
  }
}

TEST(Pairing, CountsAGainOnOneKindOfInputsAsMuchAsOnTheOther) {
  Pairing pairing("the incumbent", 0.02);
  Clock clock;
  fill_by_turns(pairing, clock, 40, 100);

  const PairedComparison comparison = pairing.comparison();
  EXPECT_NE(comparison.outcome, Outcome::faster);
  EXPECT_NEAR(comparison.gain, 0, 0.01);
  EXPECT_THAT(comparison.reason, HasSubstr("on the inputs of the case"));
}

TEST(Pairing, CountsAGainOnTheInputsOfTheCaseAsMuchAsOnExactOnes) {
  Pairing pairing("the incumbent", 0.02);
  Clock clock;
  fill_by_turns(pairing, clock, 90, 50);

  const PairedComparison comparison = pairing.comparison();
  EXPECT_EQ(comparison.outcome, Outcome::faster);
  EXPECT_NEAR(comparison.gain, 0.1, 0.01);
  EXPECT_THAT(comparison.reason, HasSubstr("on exact inputs"));
}

TEST(Pairing, SaysNothingOfInputsWhereBothAreAlike) {
  Pairing pairing("the incumbent", 0.02);
  Clock clock;
  fill_by_turns(pairing, clock, 50, 50);
  EXPECT_THAT(pairing.comparison().reason, Not(HasSubstr("inputs")));
}

}  // namespace
}  // namespace autokernel::trial
