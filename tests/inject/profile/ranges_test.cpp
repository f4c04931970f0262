#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "recording.h"

namespace autokernel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> texts(const std::vector<Fields>& ranges) {
  std::vector<std::string> found;
  found.reserve(ranges.size());
  for (const Fields& range : ranges) found.push_back(range.at(4));
  return found;
}

TEST(RecordedRanges, InnerRangeEndsFirstAndLiesWithinTheOuter) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"nvtx", "push=outer", "push=inner", "pop", "pop"}).code, 0);
  const RecordLines file = recorded.file("program");
  EXPECT_EQ(file.lines[0][2], "program");
  const auto ranges = file.of("R");
  ASSERT_THAT(texts(ranges), ElementsAre("inner", "outer"));
  EXPECT_EQ(ranges[0][1], file.lines[0][3]);
  EXPECT_LE(ranges[1][2], ranges[0][2]);
  EXPECT_LE(ranges[0][2], ranges[0][3]);
  EXPECT_LE(ranges[0][3], ranges[1][3]);
}

TEST(RecordedRanges, AllFormsOfAMessageAreRead) {
  Recorded recorded;
  ASSERT_EQ(recorded
                .play({"nvtx", "push=ascii", "pop", "wide=wide ", "pop", "event=event", "pop",
                       "registered=registered", "pop"})
                .code,
            0);
  EXPECT_THAT(texts(recorded.file("program").of("R")),
              ElementsAre("ascii", "wide \u03BC\U0001F600", "event", "registered"));
}

TEST(RecordedRanges, StartedRangeMayEndOutOfOrder) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"nvtx", "start=started", "push=pushed", "end", "pop", "end"}).code, 0);
  EXPECT_THAT(texts(recorded.file("program").of("R")), ElementsAre("started", "pushed"));
}

TEST(RecordedRanges, DomainsDoNotMixAndAreNamed) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"nvtx", "domain=NCCL", "push=ours", "in=all reduce", "pop", "out"}).code,
            0);
  const auto ranges = recorded.file("program").of("R");
  ASSERT_THAT(ranges, SizeIs(2));
  ASSERT_THAT(ranges[0], SizeIs(5));
  EXPECT_EQ(ranges[0][4], "ours");
  ASSERT_THAT(ranges[1], SizeIs(6));
  EXPECT_EQ(ranges[1][4], "all reduce");
  EXPECT_EQ(ranges[1][5], "NCCL");
}

TEST(RecordedRanges, RangeThatWasOpenAtTheEndEndsThen) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"nvtx", "push=open", "start=started"}).code, 0);
  const RecordLines file = recorded.file("program");
  EXPECT_THAT(texts(file.of("R")), ElementsAre("open", "started"));
  EXPECT_EQ(file.lines.back()[0], "E");
}

TEST(RecordedRanges, RangeOfAThreadThatEndedEndsWithIt) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"nvtx", "thread_push=of a thread", "sleep=300", "kill"}).code, 128 + 9);
  const RecordLines file = recorded.file("program");
  ASSERT_THAT(texts(file.of("R")), ElementsAre("of a thread"));
  EXPECT_NE(file.of("R")[0][1], file.lines[0][3]);
}

TEST(RecordedRanges, PopWithoutPushIsIgnored) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"nvtx", "pop", "end", "push=a", "pop"}).code, 0);
  EXPECT_THAT(texts(recorded.file("program").of("R")), ElementsAre("a"));
}

TEST(RecordedRanges, StackThatIsTooDeepLosesItsInnermost) {
  Recorded recorded;
  std::vector<std::string> steps = {"nvtx"};
  steps.insert(steps.end(), 300, "push=deep");
  steps.insert(steps.end(), 300, "pop");
  ASSERT_EQ(recorded.play(steps).code, 0);
  const RecordLines file = recorded.file("program");
  EXPECT_THAT(file.of("R"), SizeIs(256));
  EXPECT_THAT(file.of("X"), ElementsAre(ElementsAre("X", "44")));
}

TEST(RecordedRanges, TextWithTabsAndLineEndsIsOneField) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"nvtx", "push=a\tb\nc", "pop"}).code, 0);
  EXPECT_THAT(texts(recorded.file("program").of("R")), ElementsAre("a\\tb\\nc"));
}

TEST(RecordedRanges, LongTextIsCut) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"nvtx", "push=" + std::string(5000, 'x'), "pop"}).code, 0);
  EXPECT_THAT(texts(recorded.file("program").of("R")), ElementsAre(std::string(1000, 'x')));
}

TEST(RecordedRanges, ProgramWithoutRangesHasNoFileOfThem) {
  Recorded recorded;
  ASSERT_EQ(recorded.play({"nvtx", "sleep=200"}).code, 0);
  EXPECT_THAT(recorded.files("program"), IsEmpty());
  EXPECT_THAT(recorded.files("gpu"), IsEmpty());
}

}  // namespace
}  // namespace autokernel::test
