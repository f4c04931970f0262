#include "autokernel/trial/verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace autokernel::trial {
namespace {

using testing::IsEmpty;
using testing::Not;

Result compared(Outcome outcome) {
  Result result;
  result.comparison.emplace().outcome = outcome;
  return result;
}

TEST(Findings, HaveTheExitCodesThatWerePublished) {
  EXPECT_EQ(finding(Verdict::correct).exit_code, 0);
  EXPECT_EQ(finding(Verdict::incorrect).exit_code, 11);
  EXPECT_EQ(finding(Verdict::does_not_compile).exit_code, 12);
  EXPECT_EQ(finding(Verdict::timed_out).exit_code, 13);
  EXPECT_EQ(finding(Verdict::crashed).exit_code, 14);
  EXPECT_EQ(finding(Verdict::unsupported).exit_code, 17);
  EXPECT_EQ(finding(Outcome::faster).exit_code, 0);
  EXPECT_EQ(finding(Outcome::not_faster).exit_code, 10);
  EXPECT_EQ(finding(Outcome::inconclusive).exit_code, 16);
}

TEST(Findings, AreSpelledInEachPlaceAsTheyWere) {
  EXPECT_STREQ(finding(Verdict::does_not_compile).in_bench, "does_not_compile");
  EXPECT_STREQ(finding(Verdict::does_not_compile).in_loop, "does not compile");
  EXPECT_STREQ(finding(Verdict::timed_out).in_bench, "timed_out");
  EXPECT_STREQ(finding(Verdict::timed_out).in_loop, "timed out");
  EXPECT_STREQ(finding(Outcome::faster).in_bench, "faster");
  EXPECT_STREQ(finding(Outcome::faster).in_loop, "kept");
}

TEST(Findings, OfAResultAreItsOutcomeOnlyWhereItIsCorrect) {
  EXPECT_STREQ(finding(compared(Outcome::not_faster)).in_bench, "not_faster");
  EXPECT_STREQ(finding(Result{}).in_bench, "correct");
  Result wrong = compared(Outcome::faster);
  wrong.verdict = Verdict::incorrect;
  EXPECT_STREQ(finding(wrong).in_bench, "incorrect");
}

TEST(Findings, AreFoundByTheirNamesInTheLoopAndHaveAdvice) {
  std::set<std::string> names;
  for (const Finding& each : all_findings()) {
    EXPECT_TRUE(names.insert(each.in_loop).second) << each.in_loop;
    const Finding* found = finding_in_loop(each.in_loop);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->exit_code, each.exit_code);
    EXPECT_THAT(each.advice(Result{}), Not(IsEmpty()));
  }
  EXPECT_EQ(finding_in_loop("interrupted"), nullptr);
}

}  // namespace
}  // namespace autokernel::trial
