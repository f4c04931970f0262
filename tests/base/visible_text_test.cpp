// No text from others can look like another, or hide a part of itself.
#include "autokernel/base/visible_text.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace autokernel {
namespace {

const std::string kReplaced = "\xEF\xBF\xBD";

TEST(VisibleText, LeavesWhatCanBeSeenAsItIs) {
  const std::string text =
      "plain, größer, 行列, \xF0\x9F\x9A\x80, \xC2\xA0, \xED\x9F\xBF, a\tb\nc \\u202E";
  EXPECT_EQ(visible_text(text), text);
  EXPECT_EQ(visible_text(""), "");
}

TEST(VisibleText, WritesControlCharactersOut) {
  EXPECT_EQ(visible_text("a\x1B[31mb\a\x7F"), "a\\u001B[31mb\\u0007\\u007F");
  EXPECT_EQ(visible_text("C1: \xC2\x9B"
                         "31m, \xC2\x85"),
            "C1: \\u009B31m, \\u0085");
  EXPECT_EQ(visible_text(std::string("nul\0!", 5)), "nul\\u0000!");
}

TEST(VisibleText, WritesOutWhatReordersText) {
  EXPECT_EQ(visible_text("\xE2\x80\xAA \xE2\x80\xAB \xE2\x80\xAC \xE2\x80\xAD \xE2\x80\xAE"),
            "\\u202A \\u202B \\u202C \\u202D \\u202E");
  EXPECT_EQ(visible_text("\xE2\x81\xA6 \xE2\x81\xA7 \xE2\x81\xA8 \xE2\x81\xA9"),
            "\\u2066 \\u2067 \\u2068 \\u2069");
  EXPECT_EQ(visible_text("\xE2\x80\x8E\xE2\x80\x8F\xD8\x9C"), "\\u200E\\u200F\\u061C");
}

TEST(VisibleText, WritesOutWhatHasNoWidth) {
  EXPECT_EQ(visible_text("a\xE2\x80\x8B\xE2\x80\x8C\xE2\x80\x8D\xE2\x81\xA0\xEF\xBB\xBF"
                         "b"),
            "a\\u200B\\u200C\\u200D\\u2060\\uFEFFb");
  EXPECT_EQ(visible_text("\xF3\xA0\x80\x81\xF3\xA0\x81\x81\xF3\xA0\x84\x80"),
            "\\U000E0001\\U000E0041\\U000E0100");
  EXPECT_EQ(visible_text("\xC2\xAD\xCD\x8F\xEF\xB8\x8F\xE3\x85\xA4"),
            "\\u00AD\\u034F\\uFE0F\\u3164");
}

TEST(VisibleText, WritesOtherEndsOfLinesOut) {
  EXPECT_EQ(visible_text("a\xE2\x80\xA8"
                         "b\xE2\x80\xA9"
                         "c\vd\fe"),
            "a\\u2028b\\u2029c\\u000Bd\\u000Ce");
}

TEST(VisibleText, TakesACarriageReturnAtTheEndOfALineForItsEnd) {
  EXPECT_EQ(visible_text("a\r\nb\r\r\n"), "a\nb\\u000D\n");
  EXPECT_EQ(visible_text("real verdict\rcorrect!\r"), "real verdict\\u000Dcorrect!\\u000D");
}

TEST(VisibleText, WritesBytesThatBelongToNoCharacterOut) {
  EXPECT_EQ(visible_text("a\xFFz\x80"), "a\\xFFz\\x80");
  EXPECT_EQ(visible_text("\xED\xA0\x80 \xC0\xAF"), "\\xED\\xA0\\x80 \\xC0\\xAF");
  EXPECT_EQ(visible_text("\xEF\xBF\xBF\xF4\x8F\xBF\xBE"), "\\uFFFF\\U0010FFFE");
}

// Of the sum of all tests above: each kind, and characters of every length.
const std::string kMixed =
    "größer 行\xF0\x9F\x9A\x80\xE2\x80\xAE\xF3\xA0\x81\x81\xD8\x9C\xC2\x9B\x1B[2J\r\n\xFFz";

TEST(VisibleText, CutAtAnyByteCanBeSeen) {
  for (std::size_t size = 0; size <= kMixed.size(); ++size) {
    for (std::size_t begin = 0; begin <= size; ++begin) {
      const std::string seen = visible_text(kMixed.substr(begin, size - begin));
      // Nothing is left to write out, and what is left is UTF-8.
      EXPECT_EQ(visible_text(seen), seen) << begin << " to " << size;
      EXPECT_EQ(valid_utf8(seen), seen) << begin << " to " << size;
      EXPECT_TRUE(std::ranges::none_of(
          seen, [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\n'; }));
    }
  }
}

TEST(VisibleText, OfEveryPairOfBytesCanBeSeen) {
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      const std::string seen =
          visible_text(std::string{static_cast<char>(first), static_cast<char>(second)});
      ASSERT_EQ(visible_text(seen), seen) << first << " " << second;
      ASSERT_EQ(valid_utf8(seen), seen) << first << " " << second;
    }
  }
}

TEST(VisibleLine, HasBlanksInPlaceOfTabsAndEndsOfLines) {
  EXPECT_EQ(visible_line("a\tb\nc\r\nd\x1B[0m"), "a b c d\\u001B[0m");
  EXPECT_EQ(visible_line("one line"), "one line");
}

TEST(ValidUtf8, LeavesTextAsItIs) {
  const std::string text = "plain, größer, 行列, \xF0\x9F\x9A\x80, \xED\x9F\xBF, \xF4\x8F\xBF\xBF";
  EXPECT_EQ(valid_utf8(text), text);
  EXPECT_EQ(valid_utf8(""), "");
}

TEST(ValidUtf8, ReplacesEachByteThatIsNoPartOfACharacter) {
  EXPECT_EQ(valid_utf8("a\xFFz"), "a" + kReplaced + "z");
  EXPECT_EQ(valid_utf8("\x80"), kReplaced);
  EXPECT_EQ(valid_utf8("gr\xF6\xDF"), "gr" + kReplaced + kReplaced);
}

TEST(ValidUtf8, ReplacesACharacterThatIsCutOff) {
  EXPECT_EQ(valid_utf8("a\xC3"), "a" + kReplaced);
  EXPECT_EQ(valid_utf8("\xE8\xA1z"), kReplaced + kReplaced + "z");
  EXPECT_EQ(valid_utf8("\xF0\x9F\x9A"), kReplaced + kReplaced + kReplaced);
}

TEST(ValidUtf8, ReplacesSpellingsThatAreTooLong) {
  EXPECT_EQ(valid_utf8("\xC0\x80"), kReplaced + kReplaced);
  EXPECT_EQ(valid_utf8("\xC1\xBF"), kReplaced + kReplaced);
  EXPECT_EQ(valid_utf8("\xE0\x9F\xBF"), kReplaced + kReplaced + kReplaced);
  EXPECT_EQ(valid_utf8("\xF0\x8F\xBF\xBF"), kReplaced + kReplaced + kReplaced + kReplaced);
}

TEST(ValidUtf8, ReplacesHalvesOfPairsAndWhatLiesBeyondTheLastCharacter) {
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), kReplaced + kReplaced + kReplaced);
  EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"), kReplaced + kReplaced + kReplaced + kReplaced);
  EXPECT_EQ(valid_utf8("\xF5"), kReplaced);
}

}  // namespace
}  // namespace autokernel
