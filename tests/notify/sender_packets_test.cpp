#include "notify/sender_packets.h"

#include <gmock/gmock.h>

#include "support/present.h"

namespace autokernel::notify {
namespace {

using test::present;
using testing::ElementsAre;

TEST(SenderPackets, CarryAConfiguration) {
  Configuration configuration;
  configuration.targets = {{.label = "a (json, target 1)",
                            .kind = Kind::json,
                            .url = Secret("https://host/a"),
                            .secret = Secret("0123456789abcdef"),
                            .events = {EventKind::kept, EventKind::finish},
                            .plot = false,
                            .allow_http = true}};
  const std::string packet = packet_of(configuration);
  EXPECT_FALSE(event_of_packet(packet));
  const Configuration read = present(configuration_of_packet(packet));
  ASSERT_EQ(read.targets.size(), 1U);
  const Target& target = read.targets[0];
  EXPECT_EQ(target.label, "a (json, target 1)");
  EXPECT_EQ(target.kind, Kind::json);
  EXPECT_EQ(target.url.reveal(), "https://host/a");
  EXPECT_EQ(target.secret.reveal(), "0123456789abcdef");
  EXPECT_THAT(target.events, ElementsAre(EventKind::kept, EventKind::finish));
  EXPECT_FALSE(target.plot);
  EXPECT_TRUE(target.allow_http);
}

TEST(SenderPackets, CarryAnEvent) {
  Event event;
  event.kind = EventKind::kept;
  event.id = "0123456789abcdef";
  event.description = "of \"bytes\" \n and more";
  event.gain_pct = 1.5;
  event.plot = "/a/progress.png";
  event.metric = {.name = "score", .unit = "", .value = 3, .better = Better::higher};
  event.told_of = {.record = ledger::ToldRecord::run_finished,
                   .at = "2026-01-31T12:34:56.789Z",
                   .root = "/a",
                   .file = "b/webhooks.jsonl"};
  const Event read = present(event_of_packet(packet_of(event)));
  EXPECT_EQ(read.kind, EventKind::kept);
  EXPECT_EQ(read.id, event.id);
  EXPECT_EQ(read.description, event.description);
  EXPECT_EQ(read.gain_pct, event.gain_pct);
  EXPECT_FALSE(read.time_us);
  EXPECT_EQ(read.plot, event.plot);
  const EventMetric metric = present(read.metric);
  EXPECT_EQ(metric.name, "score");
  EXPECT_EQ(metric.value, 3);
  EXPECT_EQ(metric.baseline, std::nullopt);
  EXPECT_EQ(metric.better, Better::higher);
  const ToldOf told_of = present(read.told_of);
  EXPECT_EQ(told_of.record, ledger::ToldRecord::run_finished);
  EXPECT_EQ(told_of.at, "2026-01-31T12:34:56.789Z");
  EXPECT_EQ(told_of.root, "/a");
  EXPECT_EQ(told_of.file, "b/webhooks.jsonl");
}

TEST(SenderPackets, CarryAReport) {
  const Report read = present(report_of_packet(
      packet_of(Report{.id = "1", .attempted = true, .sent = false, .status = "timed out"})));
  EXPECT_EQ(read.id, "1");
  EXPECT_TRUE(read.attempted);
  EXPECT_FALSE(read.sent);
  EXPECT_EQ(read.status, "timed out");
}

TEST(SenderPackets, CutAnywhereAreNone) {
  const std::string packet = packet_of(Event{});
  for (std::size_t size = 0; size + 2 < packet.size(); ++size) {
    EXPECT_FALSE(event_of_packet(packet.substr(0, size))) << size;
    EXPECT_FALSE(configuration_of_packet(packet.substr(0, size))) << size;
    EXPECT_FALSE(report_of_packet(packet.substr(0, size))) << size;
  }
}

}  // namespace
}  // namespace autokernel::notify
