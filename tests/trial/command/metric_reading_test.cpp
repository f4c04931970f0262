// The numbers of a run: where they are found, and where they are not.
#include "trial/command/metric_reading.h"

#include <gmock/gmock.h>

namespace autokernel::trial {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

[[nodiscard]] MetricReading json_number(const std::string& pointer, const std::string& printed) {
  return read_metric({.name = "m", .unit = {}, .source = cases::JsonNumber{{pointer}, {}}},
                     {.printed = printed, .files = {}});
}
[[nodiscard]] MetricReading number_in_line(const std::string& pattern, const std::string& printed) {
  return read_metric({.name = "m", .unit = {}, .source = cases::NumberInLine{pattern, {}}},
                     {.printed = printed, .files = {}});
}

TEST(MetricReading, TakesTheLastLineThatIsAnObject) {
  const MetricReading found =
      json_number("/a/b", "{\"a\":{\"b\":1}}\nnoise { not json\n{\"a\":{\"b\":2.5}}\n[3]\ntail\n");
  EXPECT_THAT(found.fault, IsEmpty());
  EXPECT_DOUBLE_EQ(found.value, 2.5);
}

TEST(MetricReading, ReadsAFileThatIsNamed) {
  const MetricReading found =
      read_metric({.name = "m", .unit = {}, .source = cases::JsonNumber{{"/x"}, "f.json"}},
                  {.printed = "{\"x\":1}", .files = {{"f.json", "{\n \"x\": 7\n}\n"}}});
  EXPECT_DOUBLE_EQ(found.value, 7);
}

TEST(MetricReading, TakesTheLastMatchOfALine) {
  EXPECT_DOUBLE_EQ(number_in_line("([0-9.]+) us", "1 us\n2.5 us and 3.5 us\nnone\n").value, 3.5);
}

TEST(MetricReading, IsTheWallTime) {
  const MetricReading found = read_metric({.name = "m", .unit = "s", .source = cases::WallTime{}},
                                          {.printed = {}, .files = {}, .seconds = 0.25});
  EXPECT_DOUBLE_EQ(found.value, 0.25);
}

TEST(MetricReading, SaysWhatIsMissing) {
  EXPECT_THAT(json_number("/a", "nothing").fault, HasSubstr("has no line that is a JSON object"));
  EXPECT_THAT(json_number("/a", "{\"b\":1}").fault, HasSubstr("has no /a"));
  EXPECT_THAT(json_number("/a", "{\"a\":\"1\"}").fault, HasSubstr("is no number"));
  EXPECT_THAT(json_number("/a/9", "{\"a\":[1]}").fault, HasSubstr("has no /a/9"));
  EXPECT_THAT(json_number("/a", "{\"a\":1e999}").fault, Not(IsEmpty()));
  EXPECT_THAT(number_in_line("([0-9]+) us", "nothing").fault, HasSubstr("no line"));
}

TEST(MetricReading, RefusesWhatNoRatioCanBeMadeOf) {
  for (const char* value : {"0", "-1", "-0.5"})
    EXPECT_THAT(json_number("/a", std::string("{\"a\":") + value + "}").fault,
                HasSubstr("above 0"));
  EXPECT_THAT(number_in_line("(.*)", "nan\ninf\n").fault, HasSubstr("no line"));
}

TEST(MetricReading, IsNoDeepNesting) {
  const std::string deep = "{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_THAT(json_number("/a", deep).fault, HasSubstr("no line that is a JSON object"));
}

// Every cut of a text is read or named, and never a crash.
TEST(MetricReading, SurvivesEveryCut) {
  const std::string whole = "x\n{\"a\":{\"b\":[1,2.5e3]},\"c\":\"\\u00e9\"}\n";
  for (std::size_t length = 0; length <= whole.size(); ++length)
    static_cast<void>(json_number("/a/b/1", whole.substr(0, length)));
  EXPECT_DOUBLE_EQ(json_number("/a/b/1", whole).value, 2500);
}

}  // namespace
}  // namespace autokernel::trial
