#include "lab/load/exchange.h"

#include <gmock/gmock.h>

#include <memory>

namespace autokernel::lab {
namespace {

using http::TransferEnd;
using http::TransferEnding;
using testing::HasSubstr;

std::string event(const std::string& data) { return "data: " + data + "\n\n"; }
std::string token(const std::string& text) {
  return event(R"({"id":"c-1","choices":[{"delta":{"content":")" + text + R"("}}]})");
}
const std::string kLength = event(R"({"choices":[{"delta":{},"finish_reason":"length"}]})");
const std::string kDone = event("[DONE]");
std::string usage(int tokens) {
  return event(R"({"choices":[],"usage":{"prompt_tokens":4,"completion_tokens":)" +
               std::to_string(tokens) + "}}");
}

TransferEnd complete(int status = 200) {
  return {.ending = TransferEnding::complete, .status = status, .words = {}};
}

class ExchangeTest : public testing::Test {
 protected:
  // What becomes of a request for two tokens that is answered so.
  RequestOutcome outcome_of(const std::string& bytes, const TransferEnd& end = complete(),
                            int status = 200) {
    RequestOutcome asked;
    asked.asked_tokens = 2;
    asked.sent = asked.scheduled = monotonic_seconds();
    RequestOutcome outcome;
    Exchange exchange(settings_, asked,
                      [&](Exchange& ended) { outcome = std::move(ended.outcome); });
    static_cast<void>(exchange.on_bytes(status, bytes));
    exchange.on_end(end);
    return outcome;
  }
  static TransferEnd ending(TransferEnding ending) {
    return {.ending = ending, .status = 200, .words = "libcurl's words"};
  }

  LoadSettings settings_;
};

TEST_F(ExchangeTest, ReadsAnAnswer) {
  settings_.keeps_text = true;
  const RequestOutcome outcome =
      outcome_of(token("") + token(" one") + token(" two") + kLength + usage(2) + kDone);
  EXPECT_TRUE(outcome.succeeded()) << outcome.detail;
  EXPECT_EQ(outcome.text, " one two");
  EXPECT_EQ(outcome.pieces, 2U);
  EXPECT_EQ(outcome.words, 2U);
  EXPECT_EQ(outcome.bytes, 8U);
  EXPECT_EQ(outcome.gaps.size(), 1U);
  EXPECT_EQ(outcome.usage_input, 4U);
  EXPECT_EQ(outcome.usage_output, 2U);
  EXPECT_EQ(outcome.finish_reason, "length");
  EXPECT_EQ(outcome.id, "c-1");
}

TEST_F(ExchangeTest, CountsAWordThatComesInPiecesOnce) {
  EXPECT_EQ(outcome_of(token(" o") + token("ne ") + token("two") + kLength + kDone).words, 2U);
}

TEST_F(ExchangeTest, ReadsAnAnswerInOnePiece) {
  settings_.is_streamed = false;
  const RequestOutcome outcome = outcome_of(
      R"({"id":"c-2","choices":[{"message":{"content":" one two"},"finish_reason":"length"}],)"
      R"("usage":{"prompt_tokens":4,"completion_tokens":2}})");
  EXPECT_TRUE(outcome.succeeded()) << outcome.detail;
  EXPECT_EQ(outcome.words, 2U);
  EXPECT_TRUE(outcome.gaps.empty());
}

TEST_F(ExchangeTest, FailsByAStatusWithTheServersWords) {
  const RequestOutcome outcome =
      outcome_of(R"({"error":{"message":"too many"}})", complete(429), 429);
  EXPECT_EQ(outcome.failure, LoadFailure::http_status);
  EXPECT_EQ(outcome.detail, "status 429: too many");
}

TEST_F(ExchangeTest, FailsByAStatusWithoutWords) {
  EXPECT_EQ(outcome_of("", complete(502), 502).detail, "status 502");
}

TEST_F(ExchangeTest, FailsByJsonThatIsDamaged) {
  const RequestOutcome outcome = outcome_of(token(" one") + event("{\"choices\":["));
  EXPECT_EQ(outcome.failure, LoadFailure::bad_stream);
  EXPECT_THAT(outcome.detail, HasSubstr("not a JSON object: {\"choices\":["));
}

TEST_F(ExchangeTest, BreaksOffAStreamThatIsDamaged) {
  Exchange exchange(settings_, {}, [](Exchange&) {});
  EXPECT_FALSE(exchange.on_bytes(200, event("{")));
}

TEST_F(ExchangeTest, FailsByJsonOfSomethingElse) {
  EXPECT_EQ(outcome_of(event(R"({"answer":42})")).failure, LoadFailure::bad_stream);
}

TEST_F(ExchangeTest, FailsByAnAnswerThatIsNoStream) {
  const RequestOutcome outcome = outcome_of("<html>hello</html>");
  EXPECT_EQ(outcome.failure, LoadFailure::bad_stream);
  EXPECT_THAT(outcome.detail, HasSubstr("no stream of events"));
}

TEST_F(ExchangeTest, FailsByAnErrorWithinTheStream) {
  const RequestOutcome outcome = outcome_of(token(" one") + event(R"({"error":"out of memory"})"));
  EXPECT_EQ(outcome.failure, LoadFailure::error_event);
  EXPECT_EQ(outcome.detail, "out of memory");
}

TEST_F(ExchangeTest, FailsWithoutEndMark) {
  EXPECT_EQ(outcome_of(token(" one") + kLength).failure, LoadFailure::short_answer);
}

TEST_F(ExchangeTest, FailsWithoutText) {
  EXPECT_EQ(outcome_of(kLength + kDone).failure, LoadFailure::short_answer);
}

TEST_F(ExchangeTest, FailsWithoutFinishReason) {
  EXPECT_EQ(outcome_of(token(" one") + kDone).failure, LoadFailure::short_answer);
}

TEST_F(ExchangeTest, FailsByFewerTokensThanItsFinishReasonSays) {
  const RequestOutcome outcome = outcome_of(token(" one") + kLength + usage(1) + kDone);
  EXPECT_EQ(outcome.failure, LoadFailure::short_answer);
  EXPECT_THAT(outcome.detail, HasSubstr("1 of 2 tokens"));
}

TEST_F(ExchangeTest, FailsByItsConnection) {
  EXPECT_EQ(outcome_of("", ending(TransferEnding::refused)).failure, LoadFailure::refused);
  const RequestOutcome outcome = outcome_of(token(" one"), ending(TransferEnding::disconnected));
  EXPECT_EQ(outcome.failure, LoadFailure::disconnected);
  EXPECT_THAT(outcome.detail, HasSubstr("after 1 pieces of text"));
}

TEST_F(ExchangeTest, IsStalledWhereNothingCameForLong) {
  RequestOutcome asked;
  asked.sent = monotonic_seconds() - 10;
  RequestOutcome outcome;
  Exchange exchange(settings_, asked, [&](Exchange& ended) { outcome = ended.outcome; });
  exchange.on_end(ending(TransferEnding::timed_out));
  EXPECT_EQ(outcome.failure, LoadFailure::stalled);
}

TEST_F(ExchangeTest, IsTimedOutWhereItWasStillComing) {
  RequestOutcome asked;
  asked.sent = monotonic_seconds() - 10;
  RequestOutcome outcome;
  Exchange exchange(settings_, asked, [&](Exchange& ended) { outcome = ended.outcome; });
  static_cast<void>(exchange.on_bytes(200, token(" one")));
  exchange.on_end(ending(TransferEnding::timed_out));
  EXPECT_EQ(outcome.failure, LoadFailure::timed_out);
}

TEST_F(ExchangeTest, IsTheSameHoweverItsBytesAreCut) {
  const std::string bytes = token(" one") + token(" two") + kLength + usage(2) + kDone;
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    RequestOutcome asked;
    asked.asked_tokens = 2;
    RequestOutcome outcome;
    Exchange exchange(settings_, asked, [&](Exchange& ended) { outcome = ended.outcome; });
    ASSERT_TRUE(exchange.on_bytes(200, std::string_view(bytes).substr(0, cut)));
    ASSERT_TRUE(exchange.on_bytes(200, std::string_view(bytes).substr(cut)));
    exchange.on_end(complete());
    ASSERT_TRUE(outcome.succeeded()) << cut << ": " << outcome.detail;
    ASSERT_EQ(outcome.pieces, 2U) << cut;
  }
}

}  // namespace
}  // namespace autokernel::lab
