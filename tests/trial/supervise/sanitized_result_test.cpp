// No text that a runner sends floods or deceives those who read it.
#include "trial/supervise/sanitized_result.h"

#include <gmock/gmock.h>

namespace autokernel::trial {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kReversed = "\xE2\x80\xAE";  // right-to-left override

TEST(SanitizedResult, ReasonsKeepTheirBeginningAndTheirEnd) {
  Result result;
  result.reason = "kernel.cu:3: " + std::string(3 << 20, 'A') + " failed";
  sanitize(result);

  EXPECT_LT(result.reason.size(), 5000U);
  EXPECT_THAT(result.reason, StartsWith("kernel.cu:3: AAA"));
  EXPECT_THAT(result.reason, HasSubstr("bytes left out"));
  EXPECT_THAT(result.reason, EndsWith(" failed"));
}

TEST(SanitizedResult, TextsOfSeveralLinesKeepThem) {
  Result result;
  result.reason = "one\n    two";
  result.detail = "one\ntwo\tthree";
  sanitize(result);

  EXPECT_EQ(result.reason, "one\n    two");
  EXPECT_EQ(result.detail, "one\ntwo\tthree");
}

TEST(SanitizedResult, TextsAreVisible) {
  Result result;
  result.reason = kReversed + "reason\x1B[2J";
  result.detail = kReversed;
  result.warnings = {kReversed, "two\nlines"};
  result.problem = kReversed;
  result.label = kReversed;
  result.device = DeviceReport{.name = kReversed};
  result.comparison.emplace();
  result.comparison->incumbent_name = kReversed;
  result.comparison->reason = kReversed;
  result.comparison->disturbance = kReversed;
  result.versions["nvrtc"] = kReversed;
  sanitize(result);

  EXPECT_EQ(result.reason, "\\u202Ereason\\u001B[2J");
  EXPECT_EQ(result.detail, "\\u202E");
  EXPECT_THAT(result.warnings, testing::ElementsAre("\\u202E", "two lines"));
  EXPECT_EQ(result.problem, "\\u202E");
  EXPECT_EQ(result.label, "\\u202E");
  EXPECT_EQ(result.device->name, "\\u202E");
  EXPECT_EQ(result.comparison->incumbent_name, "\\u202E");
  EXPECT_EQ(result.comparison->reason, "\\u202E");
  EXPECT_EQ(result.comparison->disturbance, "\\u202E");
  EXPECT_EQ(result.versions.at("nvrtc"), "\\u202E");
}

TEST(SanitizedResult, WarningsAreAFew) {
  Result result;
  result.warnings.assign(100'000, std::string(5000, 'w'));
  sanitize(result);

  EXPECT_EQ(result.warnings.size(), 21U);
  EXPECT_LT(result.warnings.front().size(), 1100U);
  EXPECT_EQ(result.warnings.back(), "99980 more warnings are left out");
}

TEST(SanitizedResult, DetailsFitIntoALog) {
  Result result;
  result.detail = std::string(50 << 20, 'd');
  sanitize(result);

  EXPECT_LT(result.detail.size(), (1U << 20U) + 100U);
}

}  // namespace
}  // namespace autokernel::trial
