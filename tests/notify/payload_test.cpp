// What each service gets, to the byte.
#include "notify/payload.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "autokernel/base/base64.h"
#include "notify/hmac.h"
#include "support/scratch_folder.h"

namespace autokernel::notify {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

const std::string kPlotBytes = std::string("\x89PNG\r\n\x1a\n\0\xff and more", 19);
const Secret kJsonKey("0123456789abcdef");

Event some_kept() {
  Event event;
  event.kind = EventKind::kept;
  event.id = "00112233445566aa";
  event.at = "2026-01-31T12:34:56Z";
  event.run = "tiles";
  event.experiment = 12;
  event.description = "64 x 64 tiles";
  event.time_us = 9.5;
  event.gain_pct = 12.5;
  event.over_baseline = 2;
  return event;
}

TEST(PayloadForDiscord, IsJson) {
  const HttpMessage message = discord_payload(some_kept(), "");
  EXPECT_EQ(message.method, "POST");
  EXPECT_THAT(message.headers, ElementsAre(Pair("Content-Type", "application/json")));
  EXPECT_EQ(message.body,
            R"({"username":"autokernel","content":"**tiles\\: experiment 12 was kept**\n)"
            R"(64 x 64 tiles\n9.500 us, 12.50 % less time than before, 2.000 times as fast as )"
            R"(the baseline","allowed_mentions":{"parse":[]}})");
}

TEST(PayloadForDiscord, LetsNobodyBeCalledOrLinkedTo) {
  Event event = some_kept();
  event.description = "@everyone <@1> [a](https://b) `c` **d**";
  const auto json = nlohmann::json::parse(discord_payload(event, "").body);
  EXPECT_THAT(json.at("content").get<std::string>(),
              HasSubstr(R"(\@everyone \<\@1\> \[a\]\(https\://b\) \`c\` \*\*d\*\*)"));
  EXPECT_EQ(json.at("allowed_mentions").dump(), R"({"parse":[]})");
}

TEST(PayloadForDiscord, HasAPlotAsAPartOfAForm) {
  const HttpMessage message = discord_payload(some_kept(), kPlotBytes);
  ASSERT_THAT(message.headers, SizeIs(1));
  const std::string type = message.headers[0].second;
  const std::string marker = "multipart/form-data; boundary=";
  ASSERT_THAT(type, testing::StartsWith(marker));
  const std::string boundary = type.substr(marker.size());
  EXPECT_EQ(message.body, "--" + boundary +
                              "\r\nContent-Disposition: form-data; name=\"payload_json\"\r\n"
                              "Content-Type: application/json\r\n\r\n" +
                              discord_payload(some_kept(), "").body + "\r\n--" + boundary +
                              "\r\nContent-Disposition: form-data; name=\"files[0]\"; "
                              "filename=\"progress.png\"\r\nContent-Type: image/png\r\n\r\n" +
                              kPlotBytes + "\r\n--" + boundary + "--\r\n");
}

TEST(PayloadForSlack, IsJsonWithAText) {
  const HttpMessage message = slack_payload(some_kept());
  EXPECT_EQ(message.method, "POST");
  EXPECT_THAT(message.headers, ElementsAre(Pair("Content-Type", "application/json")));
  EXPECT_EQ(message.body,
            R"({"text":"tiles: experiment 12 was kept\n64 x 64 tiles\n9.500 us, 12.50 % less )"
            R"(time than before, 2.000 times as fast as the baseline","mrkdwn":false,)"
            R"("unfurl_links":false,"unfurl_media":false})");
}

TEST(PayloadForSlack, LetsNobodyBeCalled) {
  Event event = some_kept();
  event.description = "<!everyone> & <https://b|a>";
  EXPECT_THAT(slack_payload(event).body, HasSubstr("&lt;!everyone&gt; &amp; &lt;https://b|a&gt;"));
}

TEST(PayloadForNtfy, IsTheText) {
  const HttpMessage message = ntfy_payload(some_kept(), "", Secret());
  EXPECT_EQ(message.method, "POST");
  EXPECT_THAT(message.headers, ElementsAre(Pair("Title", "tiles: experiment 12 was kept"),
                                           Pair("Tags", "chart_with_downwards_trend"),
                                           Pair("Content-Type", "text/plain; charset=utf-8")));
  EXPECT_EQ(message.body,
            "64 x 64 tiles\n9.500 us, 12.50 % less time than before, 2.000 times as fast as the "
            "baseline");
}

TEST(PayloadForNtfy, ShowsThatAMetricRises) {
  Event event = some_kept();
  event.metric = {.name = "score", .value = 2, .better = Better::higher};
  EXPECT_THAT(ntfy_payload(event, "", Secret()).headers,
              testing::Contains(Pair("Tags", "chart_with_upwards_trend")));
}

TEST(PayloadForNtfy, IsThePlotWithTheTextInAHeader) {
  const HttpMessage message = ntfy_payload(some_kept(), kPlotBytes, Secret("tk_1"));
  EXPECT_EQ(message.method, "PUT");
  EXPECT_THAT(
      message.headers,
      ElementsAre(Pair("Title", "tiles: experiment 12 was kept"),
                  Pair("Tags", "chart_with_downwards_trend"), Pair("Authorization", "Bearer tk_1"),
                  Pair("Content-Type", "image/png"), Pair("Filename", "progress.png"),
                  Pair("Message",
                       "64 x 64 tiles\\n9.500 us, 12.50 % less time than before, 2.000 "
                       "times as fast as the baseline")));
  EXPECT_EQ(message.body, kPlotBytes);
}

TEST(PayloadForNtfy, EncodesWhatIsNoAscii) {
  Event event = some_kept();
  event.run = "t\xc3\xa4sk";
  EXPECT_EQ(ntfy_payload(event, "", Secret()).headers[0].second,
            "=?UTF-8?B?" + base64("t\xc3\xa4sk: experiment 12 was kept") + "?=");
}

TEST(PayloadForNtfy, HasNoLineBreakInAHeader) {
  Event event = some_kept();
  event.run = "a\r\nX-Evil: 1";
  event.description = "b\r\nX-Evil: 1";
  for (const auto& [name, value] : ntfy_payload(event, kPlotBytes, Secret()).headers) {
    EXPECT_THAT(value, Not(testing::ContainsRegex("[\r\n]"))) << name;
  }
}

TEST(PayloadAsJson, HasEveryField) {
  EXPECT_EQ(
      json_payload(some_kept(), "", kJsonKey, 1).body,
      R"({"schema_version":1,"event":"kept","id":"00112233445566aa","at":"2026-01-31T12:34:56Z",)"
      R"("run":"tiles","problem":null,"experiment":12,"description":"64 x 64 tiles","reason":null,)"
      R"("time_us":9.5,"gain_pct":12.5,"over_baseline":2.0,"metric":null,)"
      R"("emulated":false,)"
      R"("title":"tiles: experiment 12 was kept","text":"64 x 64 tiles\n9.500 us, 12.50 % less )"
      R"(time than before, 2.000 times as fast as the baseline","plot":null})");
}

TEST(PayloadAsJson, HasTheMetricInPlaceOfATime) {
  Event event = some_kept();
  event.time_us.reset();
  event.metric = {.name = "score",
                  .unit = "points",
                  .value = 8285.0,
                  .baseline = 1995.0,
                  .better = Better::higher};
  const auto json = nlohmann::json::parse(json_payload(event, "", kJsonKey, 1).body);
  EXPECT_TRUE(json.at("time_us").is_null());
  EXPECT_EQ(json.at("metric"), nlohmann::json::parse(R"({"name":"score","unit":"points",)"
                                                     R"("value":8285,"baseline":1995,)"
                                                     R"("better":"higher"})"));
}

// The rows "| `name` | ..." of docs/notifications.md below "## The json message".
std::set<std::string> described_fields() {
  const std::string text =
      test::contents(std::filesystem::path(AUTOKERNEL_SOURCES) / "docs" / "notifications.md");
  const std::size_t begin = text.find("## The json message");
  std::istringstream section(text.substr(begin, text.find("\n## ", begin + 1) - begin));
  const std::regex row("^\\| `([a-z_.]+)` \\|.*");
  std::set<std::string> fields;
  std::smatch found;
  for (std::string line; std::getline(section, line);) {
    if (std::regex_match(line, found, row)) fields.insert(found[1]);
  }
  return fields;
}

TEST(PayloadAsJson, IsDescribedFieldByField) {
  Event event = some_kept();
  event.metric = EventMetric{};
  const auto json = nlohmann::json::parse(json_payload(event, "", kJsonKey, 1).body);
  std::set<std::string> written;
  for (const auto& [name, value] : json.items()) written.insert(name);
  for (const auto& [name, value] : json.at("metric").items()) written.insert("metric." + name);
  EXPECT_EQ(described_fields(), written);
}

TEST(PayloadAsJson, HasThePlotInBase64) {
  const auto json = nlohmann::json::parse(json_payload(some_kept(), kPlotBytes, kJsonKey, 1).body);
  EXPECT_EQ(json.at("plot").at("name"), "progress.png");
  EXPECT_EQ(json.at("plot").at("type"), "image/png");
  EXPECT_EQ(json.at("plot").at("base64"), base64(kPlotBytes));
}

TEST(PayloadAsJson, IsSignedWithItsTime) {
  const HttpMessage message = json_payload(some_kept(), "", kJsonKey, 1'769'862'896);
  EXPECT_THAT(
      message.headers,
      ElementsAre(Pair("Content-Type", "application/json"), Pair("X-Autokernel-Event", "kept"),
                  Pair("X-Autokernel-Delivery", "00112233445566aa"),
                  Pair("X-Autokernel-Timestamp", "1769862896"),
                  Pair("X-Autokernel-Signature",
                       "sha256=" + hmac_sha256("0123456789abcdef", "1769862896." + message.body))));
}

TEST(PayloadAsJson, IsUtf8WhateverWasDescribed) {
  Event event = some_kept();
  event.description = "\xff\xfe";
  event.problem = "\xc3";
  EXPECT_TRUE(nlohmann::json::accept(json_payload(event, "", kJsonKey, 1).body));
}

}  // namespace
}  // namespace autokernel::notify
