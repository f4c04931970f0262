#include "autokernel/compile/essence.h"

#include <gtest/gtest.h>

namespace autokernel::compile {
namespace {

TEST(Essence, LeavesOutCommentsAndBlanks) {
  EXPECT_EQ(essence("int  a = 1; // one\n\n/* and\n more */ int b;\n"),
            essence("int a = 1;int b;"));
}

TEST(Essence, KeepsABlankBetweenWhatWouldBecomeSomethingElse) {
  EXPECT_NE(essence("int a;"), essence("inta;"));
  EXPECT_NE(essence("a + +b"), essence("a ++b"));
  EXPECT_NE(essence("a - -b"), essence("a--b"));
}

TEST(Essence, DoesNotCareForBlanksAroundBrackets) {
  EXPECT_EQ(essence("for (int i = 0; i < n; ++i) { a[ i ] = 0; }"),
            essence("for(int i = 0;i < n;++i){a[i] = 0;}"));
}

TEST(Essence, IsAnotherForAnotherLiteral) {
  EXPECT_NE(essence("asm(\"a b\");"), essence("asm(\"a  b\");"));
  EXPECT_NE(essence("f(\"// one\");"), essence("f(\"// two\");"));
}

TEST(Essence, KeepsDirectivesOnLinesOfTheirOwn) {
  EXPECT_NE(essence("#define A 1\nint x;"), essence("#define A 1 int x;"));
  EXPECT_NE(essence("#define F (x)\n"), essence("#define F(x)\n"));
  EXPECT_EQ(essence("#define A \\\n 1\n"), essence("#define A 1\n"));
  EXPECT_EQ(essence("int a;\n  #pragma unroll\nint b;"), essence("int a;\n#pragma unroll\nint b;"));
}

TEST(Essence, EndsWhereACommentIsNeverClosed) { EXPECT_EQ(essence("a /* b"), "a"); }

TEST(Essence, CountsWordsLiteralsAndSigns) {
  EXPECT_EQ(count_tokens("int a = 12; // twelve"), 5U);
  EXPECT_EQ(count_tokens("f(\"x y\", 'c')"), 6U);
  EXPECT_EQ(count_tokens(""), 0U);
}

TEST(Essence, KeepsWhatStandsInRawLiterals) {
  EXPECT_NE(essence("asm(R\"(\" // one\n)\");"), essence("asm(R\"(\" // two\n)\");"));
}

}  // namespace
}  // namespace autokernel::compile
