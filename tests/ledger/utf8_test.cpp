#include "ledger/utf8.h"

#include <gtest/gtest.h>

namespace autokernel::ledger {
namespace {

const std::string kReplaced = "\xEF\xBF\xBD";

TEST(Utf8, LeavesTextAsItIs) {
  const std::string text = "plain, größer, 行列, \xF0\x9F\x9A\x80, \xED\x9F\xBF, \xF4\x8F\xBF\xBF";
  EXPECT_EQ(as_utf8(text), text);
  EXPECT_EQ(as_utf8(""), "");
}

TEST(Utf8, ReplacesEachByteThatIsNoPartOfACharacter) {
  EXPECT_EQ(as_utf8("a\xFFz"), "a" + kReplaced + "z");
  EXPECT_EQ(as_utf8("\x80"), kReplaced);
  EXPECT_EQ(as_utf8("gr\xF6\xDF"), "gr" + kReplaced + kReplaced);
}

TEST(Utf8, ReplacesACharacterThatIsCutOff) {
  EXPECT_EQ(as_utf8("a\xC3"), "a" + kReplaced);
  EXPECT_EQ(as_utf8("\xE8\xA1z"), kReplaced + kReplaced + "z");
  EXPECT_EQ(as_utf8("\xF0\x9F\x9A"), kReplaced + kReplaced + kReplaced);
}

TEST(Utf8, ReplacesSpellingsThatAreTooLong) {
  EXPECT_EQ(as_utf8("\xC0\x80"), kReplaced + kReplaced);
  EXPECT_EQ(as_utf8("\xC1\xBF"), kReplaced + kReplaced);
  EXPECT_EQ(as_utf8("\xE0\x9F\xBF"), kReplaced + kReplaced + kReplaced);
  EXPECT_EQ(as_utf8("\xF0\x8F\xBF\xBF"), kReplaced + kReplaced + kReplaced + kReplaced);
}

TEST(Utf8, ReplacesHalvesOfPairsAndWhatLiesBeyondTheLastCharacter) {
  EXPECT_EQ(as_utf8("\xED\xA0\x80"), kReplaced + kReplaced + kReplaced);
  EXPECT_EQ(as_utf8("\xF4\x90\x80\x80"), kReplaced + kReplaced + kReplaced + kReplaced);
  EXPECT_EQ(as_utf8("\xF5"), kReplaced);
}

TEST(OneLine, HasBlanksInPlaceOfControlCharacters) {
  EXPECT_EQ(as_one_line("a\tb\nc\rd\x1B[0m\x7F"), "a b c d [0m ");
  EXPECT_EQ(as_one_line(std::string("nul\0!", 5)), "nul !");
  EXPECT_EQ(as_one_line("next\xC2\x85line, no\xC2\xA0"
                        "break, größer"),
            "next line, no\xC2\xA0"
            "break, größer");
}

TEST(OneLine, IsUtf8) { EXPECT_EQ(as_one_line("a\xFF\n"), "a" + kReplaced + " "); }

}  // namespace
}  // namespace autokernel::ledger
