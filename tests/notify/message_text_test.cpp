#include "notify/message_text.h"

#include <gmock/gmock.h>

namespace autokernel::notify {
namespace {

using testing::HasSubstr;
using testing::Le;
using testing::Not;
using testing::SizeIs;

Event kept_experiment() {
  Event event;
  event.kind = EventKind::kept;
  event.run = "tiles";
  event.experiment = 12;
  event.description = "wgmma fed by tensor copies";
  event.time_us = 9.782;
  event.gain_pct = 12.63;
  event.over_baseline = 45.522;
  return event;
}

TEST(MessageText, SaysWhatWasKept) {
  EXPECT_EQ(title_of(kept_experiment()), "tiles: experiment 12 was kept");
  EXPECT_EQ(text_of(kept_experiment()),
            "wgmma fed by tensor copies\n"
            "9.782 us, 12.63 % less time than before, 45.522 times as fast as the baseline");
}

// Of a case of commands.
Event kept_metric(EventMetric metric, double gain_pct, double over_baseline) {
  Event event = kept_experiment();
  event.time_us.reset();
  event.metric = std::move(metric);
  event.gain_pct = gain_pct;
  event.over_baseline = over_baseline;
  return event;
}

TEST(MessageText, SaysWhatAMetricCameToWithItsUnit) {
  EXPECT_EQ(text_of(kept_metric({.name = "score",
                                 .unit = "points",
                                 .value = 8285,
                                 .baseline = 1995,
                                 .better = Better::higher},
                                315.29, 4.153)),
            "wgmma fed by tensor copies\nscore 8285 points, +315.29 %, 4.153 times the baseline");
}

TEST(MessageText, SaysThatLessOfAMetricIsLess) {
  EXPECT_EQ(text_of(kept_metric({.name = "n", .value = 60, .baseline = 100}, 40, 100.0 / 60)),
            "wgmma fed by tensor copies\nn 60, -40.00 %, 0.600 times the baseline");
}

TEST(MessageText, ShowsTheNameOfAMetricOnOneVisibleLine) {
  EXPECT_THAT(text_of(kept_metric({.name = "a\nb", .unit = "\x1b[31m", .value = 1}, 1, 1)),
              HasSubstr("a b 1 \\u001B[31m, -1.00 %"));
}

TEST(MessageText, SaysThatATimeIsThatOfACpu) {
  Event event = kept_experiment();
  event.emulated = true;
  EXPECT_THAT(text_of(event), HasSubstr("as the baseline (emulated device)"));
}

TEST(MessageText, SaysWhyARunStopped) {
  Event event;
  event.kind = EventKind::failure;
  event.run = "tiles";
  event.reason = "5 turns of the agent in a row led to no experiment";
  EXPECT_EQ(title_of(event), "tiles: the run has stopped");
  EXPECT_EQ(text_of(event), event.reason);
}

TEST(MessageText, ShowsWhatAnAgentWroteOnOneVisibleLine) {
  Event event = kept_experiment();
  event.description = "first\nsecond\x1b[31m \xff";
  EXPECT_THAT(text_of(event), HasSubstr("first second\\u001B[31m \\xFF\n"));
}

TEST(MessageText, CutsLongTextsBetweenCharacters) {
  Event event = kept_experiment();
  event.description.assign(1, 'x');
  for (int i = 0; i < 5000; ++i) event.description += "\xc3\xa4";
  const std::string text = text_of(event);
  EXPECT_THAT(text, SizeIs(Le(450U)));
  EXPECT_THAT(text, HasSubstr("\xc3\xa4..."));
  EXPECT_THAT(text, Not(HasSubstr("\xc3...")));
}

TEST(MessageText, OfEachKindHasATitle) {
  for (const EventKind kind : {EventKind::kept, EventKind::plateau, EventKind::failure,
                               EventKind::finish, EventKind::test}) {
    Event event;
    event.kind = kind;
    EXPECT_THAT(title_of(event), HasSubstr("autokernel: ")) << represent(kind);
  }
}

}  // namespace
}  // namespace autokernel::notify
