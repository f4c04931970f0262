#include "trial/runner/launch_account.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "trial/check/check_plan.h"
#include "trial/inputs/case_text.h"

namespace autokernel::trial {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::SizeIs;

constexpr std::chrono::seconds kElapsed{10};
constexpr std::size_t kLong = std::size_t{64} << 10U;

class AnAccount : public ::testing::Test {
 protected:
  explicit AnAccount(const LaunchPlan& plan = {.samples = 50})
      : problem_(product_case("bf16", "bf16", 8, 16, 32)),
        checked_(problem_, "check"),
        timed_(problem_, "default"),
        account_({&checked_, &timed_}, plan, keys_) {}

  std::string deliver(const Delivered& delivered) {
    return account_.deliver(delivered, [this](LaunchRecord& record) {
      ++copied_;
      record.outputs = {Bytes(record.sized->output_bytes())};
    });
  }

  // As an honest launcher does it: a key, then the outputs on it.
  std::string launch(const std::string& name, InputKind input_kind, const SizedCase& sized) {
    static_cast<void>(account_.draw(name));
    return deliver({name, sized.size_name, input_kind});
  }
  [[nodiscard]] std::vector<Check> plan() const {
    return check_plan({&checked_, &timed_}, Depth::usual);
  }
  void check_all() {
    for (const Check& check : plan()) {
      static_cast<void>(account_.draw(check_name(check.first)));
      for (int i = 0; i < check.launches; ++i) {
        EXPECT_EQ(deliver({check_name(check.first + i), check.sized->size_name, check.input_kind}),
                  "");
      }
    }
  }
  void begin_timing() {
    check_all();
    account_.begin_timing();
    EXPECT_EQ(launch(name_of(LaunchKind::warm_up), InputKind::declared, timed_), "");
  }
  // `launches` timed launches with their times.
  Timed time(int launches) {
    Timed timed;
    for (int i = 0; i < launches; ++i) {
      const InputKind input_kind = sampled_input_kind(problem_, i);
      EXPECT_EQ(launch(timed_name(i + 1), input_kind, timed_), "");
      timed.samples_us.push_back(10);
      timed.sampled_on.push_back(input_kind);
    }
    return timed;
  }

  cases::Case problem_;
  SizedCase checked_;
  SizedCase timed_;
  Keys keys_;
  LaunchAccount account_;
  int copied_ = 0;
};

class AnAccountAgainst : public AnAccount {
 protected:
  AnAccountAgainst() : AnAccount({.has_incumbent = true, .samples = 50}) {}
  // Pairs, after the incumbent was timed alone, and before it is again.
  Timed time_pairs(int pairs) {
    alone();
    begin_timing();
    Timed timed = time(pairs);
    for (int i = 0; i < pairs; ++i) {
      EXPECT_TRUE(account_.draw(launch_name(LaunchKind::incumbent, 2 + i)).has_value());
      timed.incumbent_us.push_back(10);
    }
    EXPECT_TRUE(account_.draw(launch_name(LaunchKind::incumbent, 2 + pairs)).has_value());
    timed.alone_us = {{10}, {10}};
    return timed;
  }
  void alone() {
    EXPECT_TRUE(account_.draw(name_of(LaunchKind::incumbent_warm_up)).has_value());
    EXPECT_TRUE(account_.draw(launch_name(LaunchKind::incumbent, 1)).has_value());
  }
};

class AnAccountWithALibrary : public AnAccount {
 protected:
  AnAccountWithALibrary() : AnAccount({.has_library = true, .samples = 4}) {}
};

TEST_F(AnAccount, BelievesALauncherThatFollowsThePlan) {
  begin_timing();
  const Timed timed = time(6);

  EXPECT_EQ(account_.missing_checks(), "");
  EXPECT_EQ(account_.misfit(timed, kElapsed), "");
}

TEST_F(AnAccount, HoldsEveryDeliveredLaunchForTheJudgeOnce) {
  begin_timing();
  static_cast<void>(time(3));

  std::size_t checks = 0;
  for (const Check& check : plan()) checks += static_cast<std::size_t>(check.launches);
  EXPECT_THAT(account_.take_records(), SizeIs(checks + 4));
  EXPECT_THAT(account_.take_records(), SizeIs(0));
}

TEST_F(AnAccount, SeesACheckThatWasLeftOut) {
  EXPECT_THAT(account_.missing_checks(), HasSubstr("0 of"));
}

TEST_F(AnAccount, SeesACheckOnEasierInputs) {
  EXPECT_THAT(launch(check_name(1), InputKind::zeros, checked_), HasSubstr("which was not due"));
}

TEST_F(AnAccount, SeesACheckAtAnotherSize) {
  EXPECT_THAT(launch(check_name(1), timed_input_kind(problem_), timed_),
              HasSubstr("which was not due"));
}

TEST_F(AnAccount, SeesATimedLaunchThatWasSkipped) {
  begin_timing();
  EXPECT_THAT(launch(timed_name(2), sampled_input_kind(problem_, 1), timed_),
              HasSubstr("which was not due"));
}

TEST_F(AnAccount, SeesATimedLaunchOnOtherInputs) {
  begin_timing();
  EXPECT_THAT(launch(timed_name(1), InputKind::zeros, timed_), HasSubstr("which was not due"));
}

// Whoever knows one answer would give it again and again.
TEST_F(AnAccount, SeesAKeyThatIsUsedTwice) {
  begin_timing();
  EXPECT_EQ(launch(timed_name(1), sampled_input_kind(problem_, 0), timed_), "");
  EXPECT_THAT(deliver({timed_name(2), "default", sampled_input_kind(problem_, 1)}),
              HasSubstr("on the key of"));
}

TEST_F(AnAccountAgainst, SeesAKeyThatWasDrawnForSomethingElse) {
  begin_timing();
  static_cast<void>(account_.draw("opponent's launch 1"));
  EXPECT_THAT(deliver({timed_name(1), "default", sampled_input_kind(problem_, 0)}),
              HasSubstr("on the key of 'opponent's launch 1'"));
}

TEST_F(AnAccountWithALibrary, GivesNoSecondKeyForALaunchThatWasNotDelivered) {
  begin_timing();
  EXPECT_TRUE(account_.draw(timed_name(1)).has_value());
  EXPECT_TRUE(account_.draw("library").has_value());
  EXPECT_FALSE(account_.draw(timed_name(1)).has_value());
}

TEST_F(AnAccount, SeesThatNothingWasTimed) {
  begin_timing();
  EXPECT_THAT(account_.misfit(time(0), kElapsed), HasSubstr("too few"));
}

TEST_F(AnAccount, TakesATimedLaunchThatWasRepeated) {
  begin_timing();
  Timed timed = time(2);
  EXPECT_EQ(launch(timed_name(2), sampled_input_kind(problem_, 1), timed_), "");
  EXPECT_EQ(account_.misfit(timed, kElapsed), "");
}

TEST_F(AnAccount, SeesTimesOfLaunchesThatNeverWere) {
  begin_timing();
  Timed timed = time(3);
  timed.samples_us.push_back(1);
  timed.sampled_on.push_back(sampled_input_kind(problem_, 3));
  EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("4 times of 3 launches"));
}

TEST_F(AnAccount, SeesTimesThatAreMissing) {
  begin_timing();
  Timed timed = time(3);
  timed.samples_us.pop_back();
  EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("2 times of 3 launches"));
}

TEST_F(AnAccount, SeesTimesThatAreNone) {
  begin_timing();
  for (const double none : {0.0, -1.0, 5e-324, 1e308, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()}) {
    Timed timed;
    EXPECT_EQ(launch(timed_name(1), sampled_input_kind(problem_, 0), timed_), "");
    timed.samples_us = {none};
    timed.sampled_on = {sampled_input_kind(problem_, 0)};
    EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("invalid times"));
  }
}

TEST_F(AnAccountAgainst, BelievesALauncherThatFollowsThePlan) {
  EXPECT_EQ(account_.misfit(time_pairs(6), kElapsed), "");
}

TEST_F(AnAccountAgainst, SeesThatTheIncumbentsTimesAreMissing) {
  Timed timed = time_pairs(3);
  timed.incumbent_us.pop_back();
  EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("incumbent"));
}

TEST_F(AnAccountAgainst, SeesThatTheIncumbentWasNotTimedAlone) {
  Timed timed = time_pairs(3);
  timed.alone_us.pop_back();
  EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("incumbent"));
}

TEST_F(AnAccountAgainst, SeesTimesOfTheIncumbentThatWereNotLaunched) {
  Timed timed = time_pairs(3);
  timed.alone_us[1].push_back(10);
  EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("6 times of 5 launches"));
}

TEST_F(AnAccountAgainst, SeesThatASinglePairIsNone) {
  EXPECT_THAT(account_.misfit(time_pairs(1), kElapsed), HasSubstr("too few"));
}

TEST_F(AnAccount, HasNoKeyForAnIncumbentThatIsNotThere) {
  begin_timing();
  EXPECT_FALSE(account_.draw(name_of(LaunchKind::incumbent_warm_up)).has_value());
  EXPECT_FALSE(account_.draw(launch_name(LaunchKind::incumbent, 1)).has_value());
}

TEST_F(AnAccount, HasNoKeyForWhatIsNoLaunch) {
  begin_timing();
  for (const char* name : {"", "launch", "timed launch", "timed launch 01", "timed launch 1 ",
                           "timed launch -1", "timed launch 99999999999999", "check launch 1",
                           "warm-up launch 1", "warm launch 1", "library"}) {
    EXPECT_FALSE(account_.draw(name).has_value()) << name;
  }
  EXPECT_FALSE(account_.draw(std::string(kLong, 'x')).has_value());
}

TEST_F(AnAccount, HasNoKeyForACheckThatWasMade) {
  check_all();
  EXPECT_FALSE(account_.draw(check_name(1)).has_value());
  EXPECT_FALSE(account_.draw(check_name(100)).has_value());
}

TEST_F(AnAccount, HasNoKeyForALaunchThatWasSkippedTo) {
  begin_timing();
  EXPECT_FALSE(account_.draw(timed_name(2)).has_value());
}

// Each leaves outputs of the size of a case.
TEST_F(AnAccount, HasAKeyForOneWarmUpOfEachTenLaunches) {
  begin_timing();
  EXPECT_FALSE(account_.draw(name_of(LaunchKind::warm_up)).has_value());
  static_cast<void>(time(10));
  EXPECT_EQ(launch(name_of(LaunchKind::warm_up), InputKind::declared, timed_), "");
  EXPECT_FALSE(account_.draw(name_of(LaunchKind::warm_up)).has_value());
}

TEST_F(AnAccount, DoesNotCopyOutputsThatItDoesNotTake) {
  begin_timing();
  const int copied = copied_;
  EXPECT_THAT(launch(timed_name(1), InputKind::zeros, timed_), HasSubstr("which was not due"));
  EXPECT_THAT(deliver({std::string(kLong, 'x'), "default", InputKind::declared}),
              AllOf(HasSubstr("which was not due"), SizeIs(Lt(1000U))));
  EXPECT_EQ(copied_, copied);
}

TEST_F(AnAccountWithALibrary, WantsATimeOfItBesideEverySecondLaunch) {
  begin_timing();
  EXPECT_TRUE(account_.draw("library").has_value());
  EXPECT_FALSE(account_.draw("library").has_value());
  Timed timed = time(3);
  EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("0 times of the library"));
  timed.library_us = {10, 10};
  EXPECT_EQ(account_.misfit(timed, kElapsed), "");
  timed.library_us.push_back(10);
  EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("3 times of the library"));
}

TEST_F(AnAccount, SeesTimesOfALibraryThatIsNotThere) {
  begin_timing();
  Timed timed = time(3);
  timed.library_us = {10};
  EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("1 times of the library"));
}

TEST_F(AnAccount, SeesFiguresOfAGpuThatIsNotThere) {
  begin_timing();
  Timed timed = time(3);
  timed.warm_us = 10;
  EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("there is none"));
}

TEST_F(AnAccount, SeesMoreTimeThanHasPassed) {
  begin_timing();
  Timed timed = time(3);
  for (const double seconds : {-1.0, 11.0, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()}) {
    timed.seconds = seconds;
    EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("it claims to have timed for"));
  }
}

TEST_F(AnAccount, SeesAQuestionAboutADeviceThatNobodyLooksAt) {
  begin_timing();
  static_cast<void>(time(1));
  EXPECT_THAT(account_.refuse_sample(), HasSubstr("a device that is not monitored"));
}

// Half of kRepeatedMemory, so that there is room for two.
constexpr std::int64_t kRows = 256;
constexpr std::int64_t kColumns = std::int64_t{512} * 1024;

class AnAccountOfLargeOutputs : public ::testing::Test {
 protected:
  AnAccountOfLargeOutputs() { account_.begin_timing(); }
  // What it says of the first timed launch, whose outputs are told apart by a byte: it goes by the
  // size of the case.
  std::string launch(int byte) {
    EXPECT_TRUE(account_.draw(timed_name(1)).has_value());
    return account_.deliver({timed_name(1), "default", sampled_input_kind(problem_, 0)},
                            [byte](LaunchRecord& record) {
                              record.outputs = {Bytes(1, static_cast<std::byte>(byte))};
                            });
  }

  cases::Case problem_ = product_case("bf16", "bf16", kRows, kColumns, 1);
  SizedCase sized_{problem_, "default"};
  Keys keys_;
  LaunchAccount account_{{&sized_, &sized_}, {.is_checked = false, .samples = 1}, keys_};
};

TEST_F(AnAccountOfLargeOutputs, KeepsTheLastOfALaunchThatIsRepeated) {
  ASSERT_EQ(2 * sized_.output_bytes(), kRepeatedMemory);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(launch(i), "");

  const std::vector<LaunchRecord> kept = account_.take_records();
  ASSERT_THAT(kept, SizeIs(3));
  EXPECT_EQ(kept[0].outputs[0], Bytes(1, std::byte{0}));
  EXPECT_EQ(kept[1].outputs[0], Bytes(1, std::byte{1}));
  EXPECT_EQ(kept[2].outputs[0], Bytes(1, std::byte{5}));
}

// Whoever may drop what came out waits for inputs that suit.
TEST_F(AnAccountOfLargeOutputs, SeesALaunchThatIsRepeatedWithoutEnd) {
  for (int i = 0; i < 3 + 64; ++i) EXPECT_EQ(launch(i), "");
  EXPECT_THAT(launch(100), HasSubstr("too many launches"));
}

// Its outputs wait until they are judged, and only so much may wait.
TEST_F(AnAccountOfLargeOutputs, HasNoKeyForMoreThanMayWait) {
  const auto waits = [&](int number) {
    if (!account_.draw(timed_name(number))) return false;
    EXPECT_EQ(
        account_.deliver({timed_name(number), "default", sampled_input_kind(problem_, number - 1)},
                         [](LaunchRecord& record) { record.outputs = {Bytes()}; }),
        "");
    return true;
  };
  int number = 1;
  while (number < 100 && waits(number)) ++number;
  const std::uint64_t waiting = static_cast<std::uint64_t>(number - 1) * sized_.output_bytes();
  EXPECT_GT(waiting, kWaitingMemory);
  EXPECT_LE(waiting, kWaitingMemory + kRepeatedMemory + 3 * sized_.output_bytes());

  EXPECT_EQ(account_.refuse_batch(), "");
  account_.note_batch();
  EXPECT_TRUE(waits(number));
}

TEST_F(AnAccountOfLargeOutputs, DoesNotRepeatWhatWasJudged) {
  EXPECT_EQ(launch(1), "");
  account_.note_batch();
  EXPECT_FALSE(account_.draw(timed_name(1)).has_value());
  EXPECT_TRUE(account_.draw(timed_name(2)).has_value());
}

TEST_F(AnAccountOfLargeOutputs, SeesABatchOfNothing) {
  EXPECT_THAT(account_.refuse_batch(), HasSubstr("nothing to be judged"));
  EXPECT_EQ(launch(1), "");
  EXPECT_EQ(account_.refuse_batch(), "");
  account_.note_batch();
  EXPECT_THAT(account_.refuse_batch(), HasSubstr("nothing to be judged"));
}

TEST_F(AnAccountOfLargeOutputs, SeesABatchAmidALaunch) {
  EXPECT_EQ(launch(1), "");
  EXPECT_TRUE(account_.draw(timed_name(2)).has_value());
  EXPECT_THAT(account_.refuse_batch(), HasSubstr("did not deliver"));
}

// A kernel is loaded anew after each batch, and warmed up once.
TEST_F(AnAccountOfLargeOutputs, GrantsAWarmUpForEachBatch) {
  const std::string warm_up = name_of(LaunchKind::warm_up);
  EXPECT_TRUE(account_.draw(warm_up).has_value());
  EXPECT_EQ(launch(1), "");
  EXPECT_FALSE(account_.draw(warm_up).has_value());
  account_.note_batch();
  EXPECT_TRUE(account_.draw(warm_up).has_value());
  EXPECT_FALSE(account_.draw(warm_up).has_value());
}

class AnAccountOnAGpu : public AnAccount {
 protected:
  AnAccountOnAGpu() : AnAccount({.on_gpu = true, .samples = 50}) {}

  void ask(LaunchAccount::Sampled answer = LaunchAccount::Sampled::counts) {
    EXPECT_EQ(account_.refuse_sample(), "");
    account_.note_sample(answer);
  }
  void begin_timing() {
    check_all();
    account_.begin_timing();
    EXPECT_EQ(launch(launch_name(LaunchKind::warm_up, 1), InputKind::declared, timed_), "");
    EXPECT_TRUE(account_.draw(launch_name(LaunchKind::warm_up, 2)).has_value());
  }
  Timed time(int launches) {
    Timed timed;
    for (int i = 0; i < launches; ++i) {
      const InputKind input_kind = sampled_input_kind(problem_, i);
      EXPECT_EQ(launch(timed_name(i + 1), input_kind, timed_), "");
      ask();
      timed.samples_us.push_back(10);
      timed.sampled_on.push_back(input_kind);
    }
    return timed;
  }
  void measure_the_rest(Timed& timed) {
    for (int i = 1; i <= warm_samples(false); ++i) {
      EXPECT_TRUE(account_.draw(launch_name(LaunchKind::warm, i)).has_value());
      ask();
    }
    timed.warm_us = 9;
    timed.event_floor_us = 1.5;
    timed.host_row = HostRow{row_launches(9), 2, 10};
  }
  Timed measure() {
    begin_timing();
    Timed timed = time(3);
    measure_the_rest(timed);
    return timed;
  }
};

TEST_F(AnAccountOnAGpu, BelievesALauncherThatFollowsThePlan) {
  EXPECT_EQ(account_.misfit(measure(), kElapsed), "");
}

TEST_F(AnAccountOnAGpu, HasNoKeyForTheNextLaunchBeforeSomebodyHasLookedAtTheDevice) {
  begin_timing();
  EXPECT_EQ(launch(timed_name(1), sampled_input_kind(problem_, 0), timed_), "");
  EXPECT_FALSE(account_.draw(timed_name(2)).has_value());
  ask(LaunchAccount::Sampled::is_void);
  EXPECT_FALSE(account_.draw(timed_name(2)).has_value());
  EXPECT_EQ(launch(timed_name(1), sampled_input_kind(problem_, 0), timed_), "");
  ask();
  EXPECT_TRUE(account_.draw(timed_name(2)).has_value());
}

TEST_F(AnAccountOnAGpu, HasNoKeyForAWarmUpThatIsLeftOut) {
  check_all();
  account_.begin_timing();
  EXPECT_FALSE(account_.draw(name_of(LaunchKind::warm_up)).has_value());
  EXPECT_FALSE(account_.draw(launch_name(LaunchKind::warm_up, 2)).has_value());
  EXPECT_TRUE(account_.draw(launch_name(LaunchKind::warm_up, 1)).has_value());
  EXPECT_FALSE(account_.draw(launch_name(LaunchKind::warm_up, 1)).has_value());
  EXPECT_FALSE(account_.draw(launch_name(LaunchKind::warm_up, 3)).has_value());
}

TEST_F(AnAccountOnAGpu, SeesALastLaunchAfterWhichNobodyLooked) {
  begin_timing();
  Timed timed = time(3);
  EXPECT_EQ(launch(timed_name(3), sampled_input_kind(problem_, 2), timed_), "");
  measure_the_rest(timed);
  EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("the device was not checked"));
}

// One answer is not good for two launches.
TEST_F(AnAccountOnAGpu, SeesAQuestionAboutNoLaunch) {
  begin_timing();
  EXPECT_THAT(account_.refuse_look(), HasSubstr("was not launched"));
  EXPECT_THAT(account_.refuse_sample(), HasSubstr("was not launched"));
  EXPECT_TRUE(account_.draw(timed_name(1)).has_value());
  EXPECT_EQ(account_.refuse_look(), "");
  account_.note_look();
  EXPECT_THAT(account_.refuse_look(), HasSubstr("was not launched"));
  EXPECT_THAT(account_.refuse_sample(), HasSubstr("was not delivered"));
  EXPECT_EQ(deliver({timed_name(1), "default", sampled_input_kind(problem_, 0)}), "");
  ask();
  EXPECT_THAT(account_.refuse_look(), HasSubstr("was not launched"));
  EXPECT_THAT(account_.refuse_sample(), HasSubstr("was not launched"));
}

TEST_F(AnAccountOnAGpu, WantsEveryFigureThatOnlyAGpuHas) {
  const Timed whole = measure();
  const auto without = [&](auto Timed::* figure) {
    Timed timed = whole;
    (timed.*figure).reset();
    return account_.misfit(timed, kElapsed);
  };
  EXPECT_THAT(without(&Timed::warm_us), HasSubstr("without a flush"));
  EXPECT_THAT(without(&Timed::event_floor_us), HasSubstr("empty kernel"));
  EXPECT_THAT(without(&Timed::host_row), HasSubstr("host's clock"));
}

TEST_F(AnAccountOnAGpu, WantsTheRowThatThePlanHas) {
  const Timed whole = measure();
  for (const HostRow& row :
       {HostRow{1, 2, 10}, HostRow{row_launches(9), 0, 10}, HostRow{row_launches(9), 1000, 10},
        HostRow{row_launches(9), 2, 0},
        HostRow{row_launches(9), 2, std::numeric_limits<double>::quiet_NaN()}}) {
    Timed timed = whole;
    timed.host_row = row;
    EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("host's clock"));
  }
}

TEST_F(AnAccountOnAGpu, SeesFiguresThatAreNone) {
  Timed timed = measure();
  timed.event_floor_us = -1;
  EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("empty kernel"));
  timed.warm_us = std::numeric_limits<double>::infinity();
  EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("without a flush"));
}

TEST_F(AnAccountOnAGpu, SeesATimeOfALibraryThatIsNotThere) {
  Timed timed = measure();
  timed.library_default_us = 10;
  EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("library with default settings"));
}

TEST_F(AnAccountOnAGpu, SeesThatTheWarmLaunchesWereLeftOut) {
  begin_timing();
  Timed timed = time(3);
  timed.warm_us = 9;
  timed.event_floor_us = 1.5;
  timed.host_row = HostRow{row_launches(9), 2, 10};
  EXPECT_THAT(account_.misfit(timed, kElapsed), HasSubstr("without a flush"));
}

}  // namespace
}  // namespace autokernel::trial
