// Sizes that choose types.
#include <gmock/gmock.h>

#include "cases/sample.h"

namespace autokernel::cases {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// A product whose tensors are bf16 at the default size and f16 in check.
std::string typed_sample() {
  std::string text = with(sample(), "[sizes.default]\n", "[sizes.default]\nTYPE = \"bf16\"\n");
  text = with(text, "[sizes.check]\n", "[sizes.check]\nTYPE = \"f16\"\n");
  for (const std::string dtype : {"dtype = \"f16\"", "dtype = \"f32\""}) {
    for (std::size_t at = text.find(dtype); at != std::string::npos; at = text.find(dtype))
      text.replace(at, dtype.size(), "dtype = \"TYPE\"");
  }
  return text;
}

TEST(Types, AreSymbolsOfASize) {
  const Case problem = parse(typed_sample(), "c");

  EXPECT_THAT(problem.types, ElementsAre(Pair("check", ElementsAre(Pair("TYPE", DType::f16))),
                                         Pair("default", ElementsAre(Pair("TYPE", DType::bf16)))));
  EXPECT_FALSE(problem.sizes.at("default").contains("TYPE"));
  for (const Tensor& tensor : problem.tensors) {
    EXPECT_EQ(tensor.dtype, DType::bf16);
    EXPECT_EQ(tensor.type_symbol, "TYPE");
  }
  const Case typed = at_size(problem, "check");
  for (const Tensor& tensor : typed.tensors) EXPECT_EQ(tensor.dtype, DType::f16);
  EXPECT_EQ(symbol_texts(problem, "check").at("TYPE"), "f16");
}

TEST(Types, AreNoneInMostCases) {
  EXPECT_THAT(parse(sample(), "c").types, IsEmpty());
  EXPECT_THAT(parse(sample(), "c").tolerances, IsEmpty());
}

TEST(Types, StandInTheProblemLineAndForTheirBytesInTheCost) {
  const std::string text = with(with(with(typed_sample(), "TYPE = \"f16\"", "TYPE = \"f32\""),
                                     "problem = \"", "problem = \"{TYPE} "),
                                "bytes = \"2*(M*K + K*N) + 4*M*N\"", "bytes = \"TYPE*M\"");
  const Case problem = parse(text, "c");

  EXPECT_THAT(problem_line(problem, "check"), testing::StartsWith("f32 "));
  EXPECT_THAT(problem_line(problem, "default"), testing::StartsWith("bf16 "));
  EXPECT_EQ(bytes_at(problem, "check"), 4 * 8);
  EXPECT_EQ(bytes_at(problem, "default"), 2 * 64);
}

TEST(Types, MayHaveAToleranceEach) {
  const auto text_with = [](const std::string& relative) {
    return with(typed_sample(), "relative = 0.001", "relative = " + relative);
  };
  const Case problem = parse(text_with("{ bf16 = 1e-2, f16 = 2e-3 }"), "c");

  EXPECT_EQ(problem.tolerance.relative, 1e-2);
  EXPECT_EQ(at_size(problem, "default").tolerance.relative, 1e-2);
  EXPECT_EQ(at_size(problem, "check").tolerance.relative, 2e-3);
  EXPECT_EQ(at_size(problem, "check").tolerance.absolute, 0.01);

  EXPECT_THAT(complaint_about(text_with("{ bf16 = 1e-2 }")),
              HasSubstr("[check] relative f16 is missing"));
  EXPECT_THAT(complaint_about(text_with("{ bf16 = 1e-2, f16 = -1 }")),
              HasSubstr("[check] relative f16 is -1"));
  EXPECT_THAT(complaint_about(text_with("{ bf16 = 1e-2, f16 = 1e-2, f32 = 1 }")),
              HasSubstr("[check] relative f32 is not known here"));
  EXPECT_THAT(complaint_about(with(sample(), "relative = 0.001", "relative = { f32 = 1 }")),
              HasSubstr("[check] relative differs with the type, but no size chooses one"));
}

TEST(Types, AreThoseThatOneFillServes) {
  EXPECT_THAT(complaint_about(with(typed_sample(), "TYPE = \"f16\"", "TYPE = \"i32\"")),
              HasSubstr("[sizes.check] TYPE is \"i32\"; write \"f32\", \"f16\" or \"bf16\""));
}

TEST(Types, AreTypesAtEverySize) {
  EXPECT_THAT(complaint_about(with(typed_sample(), "TYPE = \"f16\"", "TYPE = 16")),
              HasSubstr("[sizes.check] TYPE is a number, but a type in [sizes.default]"));
  EXPECT_THAT(complaint_about(with(typed_sample(), "TYPE = \"bf16\"", "TYPE = 16")),
              HasSubstr("TYPE"));
  EXPECT_THAT(complaint_about(with(typed_sample(), "TYPE = \"f16\"\n", "")),
              HasSubstr("[sizes.check] TYPE is missing; [sizes.default] has it"));
}

TEST(Types, AreOfferedWhereATensorNamesAnother) {
  EXPECT_THAT(complaint_about(with(typed_sample(), "dtype = \"TYPE\"", "dtype = \"TYP\"")),
              HasSubstr("(did you mean \"TYPE\"?)"));
}

TEST(Types, HaveNamesThatCudasHeadersLeaveFree) {
  for (const char* name : {"half", "std", "__half", "float", "nv_bfloat16"}) {
    std::string text = typed_sample();
    for (std::size_t at = text.find("TYPE"); at != std::string::npos; at = text.find("TYPE"))
      text.replace(at, 4, name);
    EXPECT_THAT(complaint_about(text), HasSubstr(std::string(name) + " cannot be a size symbol"));
  }
  EXPECT_THAT(complaint_about(with(typed_sample(), "name = \"C\"", "name = \"TYPE\"")),
              HasSubstr("name is \"TYPE\", which is a type"));
}

}  // namespace
}  // namespace autokernel::cases
