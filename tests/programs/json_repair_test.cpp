#include "programs/profile/json_repair.h"

#include <gtest/gtest.h>

namespace autokernel::programs {
namespace {

std::string repaired(std::string_view json, std::size_t at_once) {
  JsonRepair repair(pieces_of(json, at_once));
  std::string text;
  for (std::string_view piece = repair.next(); !piece.empty(); piece = repair.next()) text += piece;
  EXPECT_EQ(repair.bytes_read(), json.size());
  return text;
}

// Wherever the pieces end, the text is the same.
std::string repaired(std::string_view json) {
  const std::string whole = repaired(json, json.size() + 1);
  EXPECT_EQ(repaired(json, 1), whole);
  EXPECT_EQ(repaired(json, 3), whole);
  return whole;
}

TEST(JsonRepair, LeavesJsonAsItIs) {
  const std::string json =
      R"({"a": [1, -2.5e-7, true, false, null], "b\\\"\/\b\f\n\r\t\u00e9\uD83D\uDE00": "é€😀", "": {}})";
  EXPECT_EQ(repaired(json), json);
  EXPECT_EQ(repaired(""), "");
}

TEST(JsonRepair, MakesNullOfWhatIsNoNumber) {
  EXPECT_EQ(repaired("[nan,-nan,inf,-inf,NaN,Infinity,-Infinity]"),
            "[null,null,null,null,null,null,null]");
}

TEST(JsonRepair, LeavesSuchWordsInTexts) {
  EXPECT_EQ(repaired(R"(["nan", "\"inf"])"), R"(["nan", "\"inf"])");
}

TEST(JsonRepair, DoublesABackslashThatBeginsNoEscape) {
  EXPECT_EQ(repaired(R"(["C:\Users\user\x"])"), R"(["C:\\Users\\user\\x"])");
}

TEST(JsonRepair, ReplacesControlCharactersInTexts) {
  EXPECT_EQ(repaired("[\n\"a\nb\x01\"\n]"), "[\n\"a b \"\n]");
}

TEST(JsonRepair, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(repaired("[\"a\xFF\xC3(\xE2\x82\"]"), R"(["a\uFFFD\uFFFD(\uFFFD\uFFFD"])");
}

TEST(JsonRepair, ReplacesHalvesOfUtf16Pairs) {
  EXPECT_EQ(repaired(R"(["\uD83D\n\uDE00\uD83D"])"), R"(["\uFFFD\n\uFFFD\uFFFD"])");
}

TEST(JsonRepair, ShortensATextThatNoParserShouldKeep) {
  std::string text;
  text.resize(40'000'000, 'a');
  const std::string shortened = repaired("[\"" + text + "\", 1]", 65'536);
  EXPECT_LT(shortened.size(), 17'000'000);
  EXPECT_TRUE(shortened.ends_with("a\", 1]"));
}

TEST(JsonRepair, LeavesACutTextCut) {
  EXPECT_EQ(repaired("[\"a"), "[\"a");
  EXPECT_EQ(repaired("[1, -"), "[1, -");
  EXPECT_EQ(repaired("[tru"), "[tru");
  EXPECT_EQ(repaired("[1, in"), "[1, ");
}

}  // namespace
}  // namespace autokernel::programs
