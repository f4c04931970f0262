#include "autokernel/ledger/webhook_outcomes.h"

#include <gmock/gmock.h>

#include "ledger/sample.h"

namespace autokernel::ledger {
namespace {

using testing::Eq;
using testing::Optional;

Webhook sent() {
  return {.webhook_enabled_by_config = true,
          .webhook_disabled_by_flag = false,
          .webhook_expected = true,
          .webhook_attempted = true,
          .webhook_sent = true,
          .webhook_status = "sent"};
}

Webhook pending() {
  return {.webhook_enabled_by_config = true,
          .webhook_disabled_by_flag = false,
          .webhook_expected = true,
          .webhook_attempted = false,
          .webhook_sent = false,
          .webhook_status = "pending"};
}

WebhookOutcome full_outcome() {
  return {.record = ToldRecord::experiment,
          .at = full_experiment().at,
          .id = "0123456789abcdef",
          .webhook = sent()};
}

Experiment told(const Webhook& webhook) {
  Experiment experiment = full_experiment();
  experiment.webhook = webhook;
  return experiment;
}

// What is shown of an experiment beside a file with this text.
Webhook shown(const std::string& text, const Webhook& recorded = pending()) {
  Experiment experiment = told(recorded);
  WebhookOutcomes(text).put_into(experiment);
  return experiment.webhook.value_or(Webhook{});
}

TEST(WebhookOutcome, IsReadAsItWasWritten) {
  const std::string line = line_of(full_outcome());
  EXPECT_EQ(line, R"({"schema_version":1,"record":"experiment","at":"2026-01-31T12:35:56.789Z",)"
                  R"("id":"0123456789abcdef","webhook_enabled_by_config":true,)"
                  R"("webhook_disabled_by_flag":false,"webhook_expected":true,)"
                  R"("webhook_attempted":true,"webhook_sent":true,"webhook_status":"sent"})"
                  "\n");
  EXPECT_THAT(parse_outcome(line), Optional(Eq(full_outcome())));
}

TEST(WebhookOutcomes, TakeThePlaceOfPending) {
  EXPECT_EQ(shown(line_of(full_outcome())), sent());
  EXPECT_EQ(shown(""), pending());
}

TEST(WebhookOutcomes, TakeThePlaceOfNothingElse) {
  Webhook recorded = pending();
  recorded.webhook_status = "no target wants it";
  EXPECT_EQ(shown(line_of(full_outcome()), recorded), recorded);
  recorded.webhook_expected = false;
  recorded.webhook_status = "pending";
  EXPECT_EQ(shown(line_of(full_outcome()), recorded), recorded);
  Experiment experiment = full_experiment();
  experiment.webhook.reset();
  WebhookOutcomes(line_of(full_outcome())).put_into(experiment);
  EXPECT_EQ(experiment.webhook, std::nullopt);
}

TEST(WebhookOutcomes, AreOfOneRecordEach) {
  WebhookOutcome other = full_outcome();
  other.at = "2026-01-31T12:35:56.790Z";
  EXPECT_EQ(shown(line_of(other)), pending());
  other = full_outcome();
  other.record = ToldRecord::run_finished;
  EXPECT_EQ(shown(line_of(other)), pending());
  RunFinished finished = full_run_finished();
  finished.at = other.at;
  finished.webhook = pending();
  WebhookOutcomes(line_of(other)).put_into(finished);
  EXPECT_THAT(finished.webhook, Optional(sent()));
}

TEST(WebhookOutcomes, HaveTheLastWordOfTwo) {
  WebhookOutcome first = full_outcome();
  first.webhook.webhook_status = "timed out";
  EXPECT_EQ(shown(line_of(first) + line_of(full_outcome())), sent());
}

TEST(WebhookOutcomes, CutAnywhereLeaveWhatWasRecorded) {
  const std::string line = line_of(full_outcome());
  for (std::size_t size = 0; size < line.size(); ++size) {
    EXPECT_EQ(shown(line.substr(0, size)), pending()) << size;
    EXPECT_EQ(shown(line.substr(0, size) + "\n"), size + 1 < line.size() ? pending() : sent())
        << size;
    // Whoever adds a line behind such a one begins one of its own.
    EXPECT_EQ(shown(line.substr(0, size) + "\n" + line), sent()) << size;
  }
}

TEST(WebhookOutcomes, WithAnyByteChangedAreReadOrLeftOut) {
  const std::string line = line_of(full_outcome());
  for (std::size_t at = 0; at + 1 < line.size(); ++at) {
    for (const char byte : {'\0', '\n', '"', '{', '\x7f', '\xff'}) {
      std::string text = line;
      text[at] = byte;
      EXPECT_EQ(shown(text + line), sent()) << "byte " << at;
    }
  }
}

TEST(WebhookOutcomes, AreNotOfALaterVersion) {
  std::string line = line_of(full_outcome());
  line.replace(line.find(":1,"), 3, ":2,");
  EXPECT_EQ(shown(line), pending());
  EXPECT_EQ(shown("[]\nnull\n7\n{}\n"), pending());
}

}  // namespace
}  // namespace autokernel::ledger
