#include "lab/load/answer_piece.h"

#include <gmock/gmock.h>

#include "support/present.h"

namespace autokernel::lab {
namespace {

using test::present;

TEST(AnswerPiece, HasTheTextOfAChatEvent) {
  const AnswerPiece piece = present(read_answer_piece(
      R"({"id":"c-1","object":"chat.completion.chunk","created":1,"model":"m",)"
      R"("choices":[{"index":0,"delta":{"role":"assistant","content":" one"},)"
      R"("logprobs":{"content":[{"token":"x"}]},"finish_reason":null}],"usage":null})"));
  EXPECT_EQ(piece.id, "c-1");
  EXPECT_EQ(piece.text, " one");
  EXPECT_EQ(piece.finish_reason, "");
  EXPECT_TRUE(piece.has_choices);
  EXPECT_FALSE(piece.has_usage);
  EXPECT_FALSE(piece.error);
}

TEST(AnswerPiece, HasTheTextOfACompletion) {
  const AnswerPiece piece = present(
      read_answer_piece(R"({"choices":[{"text":" two","index":0,"finish_reason":"length"}]})"));
  EXPECT_EQ(piece.text, " two");
  EXPECT_EQ(piece.finish_reason, "length");
}

TEST(AnswerPiece, HasTheMessageOfAnAnswerInOnePiece) {
  const AnswerPiece piece = present(read_answer_piece(
      R"({"choices":[{"message":{"role":"assistant","content":"three","tool_calls":[]}}]})"));
  EXPECT_EQ(piece.text, "three");
}

TEST(AnswerPiece, CountsReasoningAsText) {
  const AnswerPiece piece =
      present(read_answer_piece(R"({"choices":[{"delta":{"reasoning_content":"so"}}]})"));
  EXPECT_EQ(piece.text, "so");
}

TEST(AnswerPiece, HasUsage) {
  const AnswerPiece piece =
      present(read_answer_piece(R"({"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":9,)"
                                R"("prompt_tokens_details":{"completion_tokens":3}}})"));
  EXPECT_TRUE(piece.has_choices);
  EXPECT_EQ(piece.usage_input, 7U);
  EXPECT_EQ(piece.usage_output, 9U);
}

TEST(AnswerPiece, SaysWhereUsageIsNoNumberOfTokens) {
  const auto is_odd = [](const std::string& tokens) {
    return present(read_answer_piece(R"({"usage":{"completion_tokens":)" + tokens + "}}"))
        .has_odd_usage;
  };
  for (const char* odd : {"-5", "\"64\"", "16.0", "1000000000000000000000000000000"})
    EXPECT_TRUE(is_odd(odd)) << odd;
  EXPECT_FALSE(is_odd("64"));
  EXPECT_FALSE(is_odd("null"));
}

TEST(AnswerPiece, LeavesOutFurtherChoices) {
  const AnswerPiece piece =
      present(read_answer_piece(R"({"choices":[{"text":"a"},{"text":"b"},[{"text":"c"}]]})"));
  EXPECT_EQ(piece.text, "a");
}

TEST(AnswerPiece, HasTheMessageOfAnError) {
  EXPECT_EQ(present(read_answer_piece(R"({"error":{"message":"full","code":1}})")).error, "full");
  EXPECT_EQ(present(read_answer_piece(R"({"error":"full"})")).error, "full");
  EXPECT_EQ(present(read_answer_piece(R"({"error":{}})")).error, "");
  EXPECT_FALSE(present(read_answer_piece(R"({"error":null})")).error);
}

TEST(AnswerPiece, IsNoneWithoutAnObject) {
  EXPECT_FALSE(read_answer_piece("[1]"));
  EXPECT_FALSE(read_answer_piece("7"));
  EXPECT_FALSE(read_answer_piece(""));
}

TEST(AnswerPiece, IsNoneOfAnyTextThatIsCutOff) {
  const std::string whole = R"({"choices":[{"text":"a","n":[1,true,null,-2,0.5]}],"id":"x"})";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read_answer_piece(whole.substr(0, size))) << size;
  }
  EXPECT_TRUE(read_answer_piece(whole));
}

}  // namespace
}  // namespace autokernel::lab
