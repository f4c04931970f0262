// Messages as a launcher under a kernel's control may send them.
#include "trial/runner/report_bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "autokernel/base/error.h"
#include "trial/supervise/json_bounds.h"
#include "trial/supervise/text_bounds.h"

namespace autokernel::trial {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Lt;
using ::testing::SizeIs;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

constexpr std::size_t kHuge = std::size_t{8} << 20U;
// What says how much was left out.
constexpr std::size_t kNote = 100;

template <typename Message>
Message bounded_report(Message message) {
  Report report = std::move(message);
  bound_texts(report);
  return std::get<Message>(std::move(report));
}

TEST(BoundTexts, CutsARejection) {
  const auto rejection = bounded_report(Rejection{Verdict::incorrect, std::string(kHuge, 'r'),
                                                  std::string(kHuge, 'd'), Cause::unknown});
  EXPECT_THAT(rejection.reason, SizeIs(Lt(kLongestReason + kNote)));
  EXPECT_THAT(rejection.detail, SizeIs(Lt(kLongestDetail + kNote)));
}

TEST(BoundTexts, CutsWhatWasCompiled) {
  const auto compiled =
      bounded_report(Compiled{.resources = {},
                              .warnings = std::vector<std::string>(1000, std::string(10'000, 'w')),
                              .log = std::string(kHuge, 'l'),
                              .nvrtc = std::string(kHuge, 'n')});
  EXPECT_THAT(compiled.warnings, SizeIs(kMostWarnings + 1));
  EXPECT_THAT(compiled.warnings, Each(SizeIs(Lt(kLongestWarning + kNote))));
  EXPECT_THAT(compiled.log, SizeIs(Lt(kLongestDetail + kNote)));
  EXPECT_THAT(compiled.nvrtc, SizeIs(Lt(kLongestName + kNote)));
}

TEST(BoundTexts, CutsCodeWhereaboutsWarningsAndFailures) {
  EXPECT_THAT(bounded_report(Code{std::string(kHuge, 'c')}).ptx, SizeIs(kLongestPtx));
  EXPECT_THAT(bounded_report(Whereabouts{std::string(kHuge, 'w')}).text,
              SizeIs(Lt(kLongestReason + kNote)));
  EXPECT_THAT(bounded_report(Failure{Stop::environment, std::string(kHuge, 'f')}).what,
              SizeIs(Lt(kLongestReason + kNote)));
  Timed timed;
  timed.warnings.assign(1000, std::string(10'000, 'w'));
  EXPECT_THAT(bounded_report(timed).warnings, SizeIs(kMostWarnings + 1));
}

TEST(BoundTexts, LeavesWhatFits) {
  const auto rejection =
      bounded_report(Rejection{Verdict::incorrect, "a reason", "a detail", Cause::unknown});
  EXPECT_EQ(rejection.reason, "a reason");
  EXPECT_EQ(rejection.detail, "a detail");
}

std::string nested(std::size_t depth, char open, char close) {
  return std::string(depth, open) + std::string(depth, close);
}

TEST(ExcessOf, NamesWhatIsNestedTooDeeply) {
  EXPECT_EQ(excess_of(nested(32, '[', ']')), nullptr);
  EXPECT_THAT(excess_of(nested(33, '[', ']')), StrEq("is nested too deeply"));
  EXPECT_THAT(excess_of(nested(33, '{', '}')), StrEq("is nested too deeply"));
  EXPECT_THAT(excess_of(std::string(1'000'000, '[')), StrEq("is nested too deeply"));
}

TEST(ExcessOf, NamesValuesWithoutEnd) {
  EXPECT_EQ(excess_of("[" + std::string(1'000'000, ',') + "]"), nullptr);
  EXPECT_THAT(excess_of("[" + std::string(3'000'000, ',') + "]"), StrEq("has too many values"));
  std::string empty;
  for (int i = 0; i < 3'000'000; ++i) empty += "[]";
  EXPECT_THAT(excess_of(empty), StrEq("has too many values"));
}

TEST(ExcessOf, DoesNotTakeTextForStructure) {
  EXPECT_EQ(excess_of("\"" + std::string(1000, '[') + "\""), nullptr);
  EXPECT_EQ(excess_of("\"\\\"" + std::string(1000, '[') + "\""), nullptr);
  EXPECT_THAT(excess_of("\"\\\\\"" + std::string(1000, '[')), StrEq("is nested too deeply"));
}

// Copied or quoted, it would overflow the stack.
TEST(AHostileReport, ThatIsNestedDeeplyIsAnError) {
  for (const std::size_t depth : {std::size_t{100}, std::size_t{1'000'000}}) {
    const std::string line =
        R"({"autokernel_message": 1, "kind": "phase", "body": )" + nested(depth, '[', ']') + "}\n";
    EXPECT_THAT([&] { static_cast<void>(decode_report(line)); },
                ThrowsMessage<Error>(HasSubstr("nested too deeply")));
  }
}

TEST(AHostileReport, IsNotQuotedAtLength) {
  const std::string line =
      R"({"autokernel_message": 1, "kind": "phase", "body": ")" + std::string(kHuge, 'x') + "\"}\n";
  EXPECT_THAT([&] { static_cast<void>(decode_report(line)); },
              ::testing::Throws<Error>(::testing::Property(
                  &Error::what,
                  ::testing::ResultOf([](const char* what) { return std::string(what).size(); },
                                      Le(2000U)))));
}

}  // namespace
}  // namespace autokernel::trial
