#include "lab/mock/answer.h"

#include <gmock/gmock.h>

namespace autokernel::lab {
namespace {

using testing::Ne;
using testing::StartsWith;

constexpr AnswerKey kKey = {.model = "mock", .seed = 1, .prompt = "a prompt"};

TEST(Answer, HasAsManyWordsAsTokens) {
  const Answer answer = make_answer(kKey, 50, {});
  EXPECT_EQ(answer.tokens(), 50U);
  EXPECT_EQ(count_words(answer.text), 50U);
  EXPECT_FALSE(answer.stopped);
}

TEST(Answer, IsMadeOfItsTokens) {
  const Answer answer = make_answer(kKey, 7, {});
  std::string text;
  for (std::size_t i = 0; i < answer.tokens(); ++i) text += answer.token(i);
  EXPECT_EQ(text, answer.text);
  EXPECT_THAT(std::string(answer.token(6)), StartsWith(" "));
}

TEST(Answer, IsTheSameForTheSameKey) {
  EXPECT_EQ(make_answer(kKey, 20, {}).text, make_answer(kKey, 20, {}).text);
}

TEST(Answer, DiffersForAnotherModelSeedOrPrompt) {
  const std::string text = make_answer(kKey, 20, {}).text;
  EXPECT_THAT(make_answer({.model = "other", .seed = 1, .prompt = "a prompt"}, 20, {}).text,
              Ne(text));
  EXPECT_THAT(make_answer({.model = "mock", .seed = 2, .prompt = "a prompt"}, 20, {}).text,
              Ne(text));
  EXPECT_THAT(make_answer({.model = "mock", .seed = 1, .prompt = "a prompt "}, 20, {}).text,
              Ne(text));
}

TEST(Answer, IsTheBeginningOfALongerOne) {
  EXPECT_THAT(make_answer(kKey, 50, {}).text, StartsWith(make_answer(kKey, 20, {}).text));
}

TEST(Answer, EndsBeforeAStopSequence) {
  const Answer whole = make_answer(kKey, 20, {});
  const Answer stopped = make_answer(kKey, 20, {std::string(whole.token(5))});
  EXPECT_TRUE(stopped.stopped);
  EXPECT_LE(stopped.tokens(), 5U);
  EXPECT_THAT(whole.text, StartsWith(stopped.text));
  EXPECT_EQ(stopped.text.find(whole.token(5)), std::string::npos);
  EXPECT_EQ(count_words(stopped.text), stopped.tokens());
}

TEST(Answer, ThatIsStoppedWithinAWordKeepsItsBeginning) {
  const Answer whole = make_answer(kKey, 1, {});
  const Answer stopped = make_answer(kKey, 20, {whole.text.substr(2)});
  EXPECT_EQ(stopped.text, whole.text.substr(0, 2));
  EXPECT_EQ(stopped.tokens(), 1U);
}

TEST(Answer, ThatIsStoppedAtOnceIsEmpty) {
  const Answer stopped = make_answer(kKey, 20, {" "});
  EXPECT_EQ(stopped.text, "");
  EXPECT_EQ(stopped.tokens(), 0U);
}

TEST(Answer, ThatIsStoppedAtTheFirstLetterOfAWordEndsBeforeItsBlank) {
  const Answer whole = make_answer(kKey, 2, {});
  const Answer stopped = make_answer(kKey, 20, {std::string(whole.token(1).substr(1))});
  EXPECT_EQ(stopped.text, whole.token(0));
  EXPECT_EQ(stopped.tokens(), 1U);
}

TEST(CountWords, TakesAnyBlanksForOne) {
  EXPECT_EQ(count_words(""), 0U);
  EXPECT_EQ(count_words("  one\ttwo \r\n three "), 3U);
}

}  // namespace
}  // namespace autokernel::lab
