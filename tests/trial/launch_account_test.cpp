#include "trial/launch_account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "trial/case_text.h"
#include "trial/check.h"

namespace autokernel::trial {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class AnAccount : public ::testing::Test {
 protected:
  AnAccount()
      : problem_(product_case("bf16", "bf16", 8, 16, 32)),
        checked_(problem_, "check"),
        timed_(problem_, "default"),
        account_(checked_, timed_, keys_) {}

  // As an honest launcher does it: a key, then the outputs on it.
  std::string launch(const std::string& name, Recipe recipe, const SizedCase& sized) {
    static_cast<void>(account_.draw(name));
    std::string why = account_.accept({name, sized.size_name, recipe});
    if (why.empty()) account_.keep({});
    return why;
  }
  void check_all() {
    int number = 0;
    for (const Check& check : check_plan(problem_)) {
      static_cast<void>(account_.draw(check_name(number + 1)));
      for (int i = 0; i < check.launches; ++i) {
        EXPECT_EQ(account_.accept({check_name(++number), "check", check.recipe}), "");
        account_.keep({});
      }
    }
  }
  void begin_timing() {
    check_all();
    account_.begin_timing();
    EXPECT_EQ(launch(kWarmUpName, Recipe::declared, timed_), "");
  }
  // `launches` timed launches with their times.
  Timed time(int launches) {
    Timed timed;
    for (int i = 0; i < launches; ++i) {
      const Recipe recipe = sampled_recipe(problem_, i);
      EXPECT_EQ(launch(timed_name(i + 1), recipe, timed_), "");
      timed.samples_us.push_back(10);
      timed.sampled_on.push_back(recipe);
    }
    return timed;
  }

  cases::Case problem_;
  SizedCase checked_;
  SizedCase timed_;
  Keys keys_;
  LaunchAccount account_;
};

TEST_F(AnAccount, BelievesALauncherThatFollowsThePlan) {
  begin_timing();
  const Timed timed = time(6);

  EXPECT_EQ(account_.missing_checks(), "");
  EXPECT_EQ(account_.misfit(timed, false), "");
}

TEST_F(AnAccount, HoldsEveryLaunchThatIsKeptForTheJudgeOnce) {
  begin_timing();
  static_cast<void>(time(3));

  std::size_t checks = 0;
  for (const Check& check : check_plan(problem_))
    checks += static_cast<std::size_t>(check.launches);
  EXPECT_THAT(account_.take_records(), SizeIs(checks + 4));
  EXPECT_THAT(account_.take_records(), SizeIs(0));
}

TEST_F(AnAccount, SeesACheckThatWasLeftOut) {
  EXPECT_THAT(account_.missing_checks(), HasSubstr("0 of"));
}

TEST_F(AnAccount, SeesACheckOnEasierInputs) {
  EXPECT_THAT(launch(check_name(1), Recipe::zeros, checked_), HasSubstr("not to be launched"));
}

TEST_F(AnAccount, SeesACheckAtAnotherSize) {
  EXPECT_THAT(launch(check_name(1), timed_recipe(problem_), timed_),
              HasSubstr("not to be launched"));
}

TEST_F(AnAccount, SeesATimedLaunchThatWasSkipped) {
  begin_timing();
  EXPECT_THAT(launch(timed_name(2), sampled_recipe(problem_, 1), timed_),
              HasSubstr("not to be launched"));
}

TEST_F(AnAccount, SeesATimedLaunchOnOtherInputs) {
  begin_timing();
  EXPECT_THAT(launch(timed_name(1), Recipe::zeros, timed_), HasSubstr("not to be launched"));
}

// Whoever knows one answer would give it again and again.
TEST_F(AnAccount, SeesAKeyThatIsUsedTwice) {
  begin_timing();
  EXPECT_EQ(launch(timed_name(1), sampled_recipe(problem_, 0), timed_), "");
  EXPECT_THAT(account_.accept({timed_name(2), "default", sampled_recipe(problem_, 1)}),
              HasSubstr("on the key of"));
}

TEST_F(AnAccount, SeesAKeyThatWasDrawnForSomethingElse) {
  begin_timing();
  static_cast<void>(account_.draw("opponent's launch 1"));
  EXPECT_THAT(account_.accept({timed_name(1), "default", sampled_recipe(problem_, 0)}),
              HasSubstr("on the key of 'opponent's launch 1'"));
}

TEST_F(AnAccount, GivesNoSecondKeyForALaunchThatWasNotDelivered) {
  begin_timing();
  EXPECT_TRUE(account_.draw(timed_name(1)).has_value());
  EXPECT_TRUE(account_.draw("library").has_value());
  EXPECT_FALSE(account_.draw(timed_name(1)).has_value());
}

TEST_F(AnAccount, SeesThatNothingWasTimed) {
  begin_timing();
  EXPECT_THAT(account_.misfit(time(0), false), HasSubstr("too few"));
  EXPECT_THAT(account_.misfit(time(1), true), HasSubstr("too few"));
}

TEST_F(AnAccount, TakesATimedLaunchThatWasRepeated) {
  begin_timing();
  Timed timed = time(2);
  EXPECT_EQ(launch(timed_name(2), sampled_recipe(problem_, 1), timed_), "");
  EXPECT_EQ(account_.misfit(timed, false), "");
}

TEST_F(AnAccount, SeesTimesOfLaunchesThatNeverWere) {
  begin_timing();
  Timed timed = time(3);
  timed.samples_us.push_back(1);
  timed.sampled_on.push_back(sampled_recipe(problem_, 3));
  EXPECT_THAT(account_.misfit(timed, false), HasSubstr("4 times of 3 launches"));
}

TEST_F(AnAccount, SeesTimesThatAreMissing) {
  begin_timing();
  Timed timed = time(3);
  timed.samples_us.pop_back();
  EXPECT_THAT(account_.misfit(timed, false), HasSubstr("2 times of 3 launches"));
}

TEST_F(AnAccount, SeesTimesThatAreNone) {
  begin_timing();
  for (const double none : {0.0, -1.0, 5e-324, 1e308, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()}) {
    Timed timed;
    EXPECT_EQ(launch(timed_name(1), sampled_recipe(problem_, 0), timed_), "");
    timed.samples_us = {none};
    timed.sampled_on = {sampled_recipe(problem_, 0)};
    EXPECT_THAT(account_.misfit(timed, false), HasSubstr("times that are none"));
  }
}

TEST_F(AnAccount, SeesThatTheIncumbentsTimesAreMissing) {
  begin_timing();
  EXPECT_THAT(account_.misfit(time(3), true), HasSubstr("incumbent"));
}

}  // namespace
}  // namespace autokernel::trial
