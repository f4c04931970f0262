#include "autokernel/compile/normalized_source.h"

#include <gtest/gtest.h>

namespace autokernel::compile {
namespace {

TEST(NormalizedSource, LeavesOutCommentsAndBlanks) {
  EXPECT_EQ(normalized("int  a = 1; // one\n\n/* and\n more */ int b;\n"),
            normalized("int a = 1;int b;"));
}

TEST(NormalizedSource, KeepsABlankBetweenWhatWouldBecomeSomethingElse) {
  EXPECT_NE(normalized("int a;"), normalized("inta;"));
  EXPECT_NE(normalized("a + +b"), normalized("a ++b"));
  EXPECT_NE(normalized("a - -b"), normalized("a--b"));
}

TEST(NormalizedSource, DoesNotCareForBlanksAroundBrackets) {
  EXPECT_EQ(normalized("for (int i = 0; i < n; ++i) { a[ i ] = 0; }"),
            normalized("for(int i = 0;i < n;++i){a[i] = 0;}"));
}

TEST(NormalizedSource, IsAnotherForAnotherLiteral) {
  EXPECT_NE(normalized("asm(\"a b\");"), normalized("asm(\"a  b\");"));
  EXPECT_NE(normalized("f(\"// one\");"), normalized("f(\"// two\");"));
}

TEST(NormalizedSource, KeepsDirectivesOnLinesOfTheirOwn) {
  EXPECT_NE(normalized("#define A 1\nint x;"), normalized("#define A 1 int x;"));
  EXPECT_NE(normalized("#define F (x)\n"), normalized("#define F(x)\n"));
  EXPECT_EQ(normalized("#define A \\\n 1\n"), normalized("#define A 1\n"));
  EXPECT_EQ(normalized("int a;\n  #pragma unroll\nint b;"),
            normalized("int a;\n#pragma unroll\nint b;"));
}

TEST(NormalizedSource, EndsWhereACommentIsNeverClosed) { EXPECT_EQ(normalized("a /* b"), "a"); }

TEST(NormalizedSource, CountsWordsLiteralsAndSigns) {
  EXPECT_EQ(count_tokens("int a = 12; // twelve"), 5U);
  EXPECT_EQ(count_tokens("f(\"x y\", 'c')"), 6U);
  EXPECT_EQ(count_tokens(""), 0U);
}

TEST(NormalizedSource, KeepsWhatStandsInRawLiterals) {
  EXPECT_NE(normalized("asm(R\"(\" // one\n)\");"), normalized("asm(R\"(\" // two\n)\");"));
}

}  // namespace
}  // namespace autokernel::compile
