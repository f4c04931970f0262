#include "autokernel/compile/source_text.h"

#include <gmock/gmock.h>

#include "support/present.h"

namespace autokernel::compile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(WithoutComments, KeepsEveryCharacterOnItsLine) {
  EXPECT_EQ(without_comments("a // b\nc /* d\ne */ f"), "a     \nc     \n     f");
  EXPECT_EQ(without_comments(R"(x = "// no \" comment"; y)"),
            "x = " + std::string(18, ' ') + "; y");
}

TEST(WithoutComments, LeavesTheDigitsOfANumberAlone) {
  EXPECT_EQ(without_comments("1'000'000 + 2"), "1'000'000 + 2");
}

TEST(WithoutComments, EndsWhereTheFileEndsInOne) {
  EXPECT_EQ(without_comments("a /* b"), "a     ");
  EXPECT_EQ(without_comments("a \"b\\"), "a    ");
}

TEST(WithoutComments, KnowsRawLiterals) {
  EXPECT_EQ(without_comments("a = R\"(no \" // comment)\"; b"), "a =                     ; b");
  EXPECT_EQ(without_comments("R\"x()\" /* )x\" c"), "              c");
  EXPECT_EQ(without_comments("R\"(never ends"), "             ");
  EXPECT_EQ(without_comments("DOLLAR\"(\" d"), "DOLLAR    d");
}

TEST(WithoutComments, KnowsCommentsThatGoOnInTheNextLine) {
  EXPECT_EQ(without_comments("// a \\\nb\nc"), "      \n \nc");
}

TEST(KernelInTheText, IsFoundBehindItsAttributes) {
  const KernelText kernel = test::present(find_kernel(
      {{},
       "// __global__ void f(int old)\nextern \"C\" __global__ void\n__launch_bounds__(256, (2)) "
       "__cluster_dims__(2, 1, 1) f(const float* x,\n float *y)\n{}"},
      "f"));

  EXPECT_EQ(kernel.line, 3U);
  EXPECT_THAT(kernel.parameters, ElementsAre("const float* x", "float *y"));
}

TEST(KernelInTheText, IsTheOneOfThatName) {
  const std::string source =
      "__global__ void ff() {}\nnamespace n {\n__global__ void f(int a) {}\n}";

  EXPECT_EQ(test::present(find_kernel({{}, source}, "n::f<3>")).line, 3U);
  EXPECT_EQ(find_kernel({{}, source}, "g"), std::nullopt);
}

TEST(KernelInTheText, HasParametersThatAreTemplates) {
  EXPECT_THAT(
      test::present(find_kernel({{}, "__global__ void f(Pair<int, int> p, int* q) {}"}, "f"))
          .parameters,
      ElementsAre("Pair<int, int> p", "int* q"));
  EXPECT_THAT(test::present(find_kernel({{}, "__global__ void f(void) {}"}, "f")).parameters,
              IsEmpty());
}

TEST(KernelInTheText, IsNoneWhereTheTextEndsBefore) {
  EXPECT_EQ(find_kernel({{}, "__global__ void f(int a"}, "f"), std::nullopt);
  EXPECT_EQ(find_kernel({{}, "__global__"}, "f"), std::nullopt);
}

TEST(WordInTheText, IsAWholeOneOutsideOfComments) {
  EXPECT_EQ(line_of_word("// __shared__\n__shared__s\nint __shared__ a;", "__shared__"), 3U);
  EXPECT_EQ(line_of_word("nothing", "__shared__"), 0U);
}

}  // namespace
}  // namespace autokernel::compile
