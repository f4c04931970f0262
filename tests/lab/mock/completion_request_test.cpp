#include "lab/mock/completion_request.h"

#include <gmock/gmock.h>

namespace autokernel::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CompletionRequest accepted(Endpoint endpoint, const std::string& body) {
  const auto read = read_completion_request(endpoint, body, "mock");
  if (const auto* refusal = std::get_if<ApiRefusal>(&read)) {
    throw std::runtime_error("refused: " + refusal->message);
  }
  return std::get<CompletionRequest>(read);
}

ApiRefusal refused(Endpoint endpoint, const std::string& body) {
  return std::get<ApiRefusal>(read_completion_request(endpoint, body, "mock"));
}

TEST(CompletionRequest, OfChatHasTheWordsOfAllMessages) {
  const CompletionRequest request =
      accepted(Endpoint::chat,
               R"({"model":"mock","messages":[{"role":"system","content":"be brief"},
          {"role":"user","content":[{"type":"text","text":"three more words"}]}],"max_tokens":9})");
  EXPECT_EQ(request.prompt, "system\nbe brief\nuser\nthree more words\n");
  EXPECT_EQ(request.prompt_tokens, 5U);
  EXPECT_EQ(request.max_tokens, 9U);
  EXPECT_FALSE(request.streamed);
}

TEST(CompletionRequest, OfTextTakesTokensToo) {
  const CompletionRequest request =
      accepted(Endpoint::completions, R"({"model":"mock","prompt":[1,2,3]})");
  EXPECT_EQ(request.prompt_tokens, 3U);
  EXPECT_EQ(request.max_tokens, kUsualCompletionTokens);
}

TEST(CompletionRequest, PrefersTheNewerLimit) {
  const CompletionRequest request = accepted(
      Endpoint::completions,
      R"({"model":"mock","prompt":"a","max_tokens":5,"max_completion_tokens":7,"top_k":3})");
  EXPECT_EQ(request.max_tokens, 7U);
}

TEST(CompletionRequest, HasASeedOnlyAtATemperature) {
  EXPECT_EQ(
      accepted(Endpoint::completions, R"({"model":"mock","prompt":"a","seed":4,"temperature":0})")
          .seed,
      0U);
  EXPECT_EQ(accepted(Endpoint::completions, R"({"model":"mock","prompt":"a","seed":4})").seed, 4U);
}

TEST(CompletionRequest, TakesOneStopSequenceOrSeveral) {
  EXPECT_THAT(accepted(Endpoint::completions, R"({"model":"mock","prompt":"a","stop":"x"})").stop,
              ElementsAre("x"));
  EXPECT_THAT(
      accepted(Endpoint::completions, R"({"model":"mock","prompt":"a","stop":["x","y"]})").stop,
      ElementsAre("x", "y"));
}

TEST(CompletionRequest, AsksForUsageInAStream) {
  const CompletionRequest request = accepted(
      Endpoint::completions,
      R"({"model":"mock","prompt":"a","stream":true,"stream_options":{"include_usage":true}})");
  EXPECT_TRUE(request.streamed);
  EXPECT_TRUE(request.usage_in_stream);
}

TEST(CompletionRequest, ForAnotherModelIsNotFound) {
  const ApiRefusal refusal = refused(Endpoint::completions, R"({"model":"x","prompt":"a"})");
  EXPECT_EQ(refusal.status, 404);
  EXPECT_EQ(refusal.code, "model_not_found");
}

TEST(CompletionRequest, ForSeveralAnswersIsRefused) {
  EXPECT_THAT(refused(Endpoint::completions, R"({"model":"mock","prompt":"a","n":2})").message,
              HasSubstr("'n' must be 1"));
}

TEST(CompletionRequest, WithoutWholePositiveLimitIsRefused) {
  EXPECT_THAT(
      refused(Endpoint::completions, R"({"model":"mock","prompt":"a","max_tokens":0})").message,
      HasSubstr("'max_tokens'"));
  EXPECT_THAT(
      refused(Endpoint::completions, R"({"model":"mock","prompt":"a","max_tokens":1.5})").message,
      HasSubstr("'max_tokens'"));
}

TEST(CompletionRequest, ThatIsNoJsonIsRefused) {
  EXPECT_THAT(refused(Endpoint::chat, "{").message, HasSubstr("not a JSON object"));
  EXPECT_THAT(refused(Endpoint::chat, "[]").message, HasSubstr("not a JSON object"));
}

TEST(CompletionRequest, WithoutMessagesIsRefused) {
  EXPECT_THAT(refused(Endpoint::chat, R"({"model":"mock","messages":[]})").message,
              HasSubstr("'messages'"));
  EXPECT_THAT(refused(Endpoint::chat, R"({"model":"mock","messages":[7]})").message,
              HasSubstr("'role'"));
}

TEST(CompletionRequest, ThatIsNestedWithoutEndIsRefused) {
  EXPECT_THAT(refused(Endpoint::chat, std::string(100'000, '[')).message,
              HasSubstr("cannot read the body"));
}

TEST(ApiRefusal, IsAnErrorInOpenAiTerms) {
  EXPECT_EQ(refusal_body({.message = "no \"n\""}),
            R"({"error":{"message":"no \"n\"","type":"invalid_request_error",)"
            R"("param":null,"code":null}})");
}

}  // namespace
}  // namespace autokernel::lab
