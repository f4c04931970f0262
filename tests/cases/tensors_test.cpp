#include <gmock/gmock.h>

#include "autokernel/cases/case.h"
#include "cases/sample.h"

namespace autokernel::cases {
namespace {

using testing::HasSubstr;

TEST(Tensors, StandInTheOrderOfTheFileWithWhatItSays) {
  const Case problem = parse(sample(), "c");

  ASSERT_EQ(problem.tensors.size(), 3U);
  EXPECT_EQ(problem.tensors[0].name, "A");
  EXPECT_EQ(problem.tensors[0].fill.distribution, Distribution::normal);
  EXPECT_EQ(problem.tensors[1].name, "B");
  EXPECT_EQ(problem.tensors[1].fill.distribution, Distribution::uniform);
  EXPECT_DOUBLE_EQ(problem.tensors[1].fill.high, 2.5);
  EXPECT_EQ(problem.tensors[2].role, Role::out);
  EXPECT_EQ(problem.tensors[2].dtype, DType::f32);
}

TEST(Tensors, AskedForByAWrongNameAreAnInternalError) {
  const Case problem = parse(sample(), "c");

  EXPECT_THROW(static_cast<void>(problem.tensor("D")), Error);
}

TEST(Tensors, HaveNamesOfTheirOwn) {
  EXPECT_EQ(complaint_about(sample_with("name = \"B\"", "name = \"A\"")),
            "some/case/case.toml:18:8: [[tensor]] name is \"A\" for a second time; every tensor "
            "and scalar has "
            "a name of its own");
}

TEST(Tensors, HaveNamesThatAreIdentifiers) {
  EXPECT_THAT(complaint_about(sample_with("name = \"B\"", "name = \"2B\"")),
              HasSubstr("a letter first"));
}

TEST(Tensors, OfAnUnknownDtypeAreRefusedWithTheOneThatWasMeant) {
  EXPECT_EQ(
      complaint_about(sample_with("dtype = \"f32\"", "dtype = \"bf61\"")),
      "some/case/case.toml:28:9: [[tensor]] C dtype is \"bf61\"; write \"f64\", \"f32\", "
      "\"f16\", \"bf16\", \"e4m3\", \"e5m2\", \"i64\", \"i32\", \"i16\", \"i8\", \"u32\", \"u8\", "
      "\"bool\", \"complex64\", \"e2m1x2\" or \"e8m0\" "
      "(did you mean \"bf16\"?)");
}

TEST(Tensors, WithUnknownSymbolsInTheirShapeAreRefused) {
  EXPECT_EQ(complaint_about(sample_with("[\"M\", \"K\"]", "[\"M\", \"L\"]")),
            "some/case/case.toml:15:9: [[tensor]] A shape, at size \"check\": cannot evaluate "
            "\"L\": \"L\" is not a size symbol; write K, M or N");
}

TEST(Tensors, MayHaveExpressionsAsDimensions) {
  const Case problem = parse(
      sample_with("[[tensor]]\nname = \"C\"",
                  "[[tensor]]\nname = \"bias\"\nrole = \"in\"\ndtype = \"f32\"\nshape = [\"M/4\", "
                  "\"N+2\"]\nfill = \"normal\"\n[[tensor]]\nname = \"C\""),
      "c");

  EXPECT_THAT(extents(problem.tensor("bias"), problem.sizes.at("default")),
              testing::ElementsAre(16, 34));
}

TEST(Tensors, WithADimensionThatIsNotWholeAreRefused) {
  EXPECT_THAT(complaint_about(sample_with("[\"M\", \"K\"]", "[\"M/3\", \"K\"]")),
              HasSubstr("it must be a whole number from 1 to 2^40"));
}

TEST(Tensors, WithADimensionBelowOneAreRefused) {
  EXPECT_THAT(complaint_about(sample_with("[\"M\", \"K\"]", "[\"M-8\", \"K\"]")),
              HasSubstr("the dimension \"M-8\" of tensor A is 0"));
}

TEST(Tensors, WithMoreBytesThanAnyDeviceHasAreRefused) {
  EXPECT_THAT(complaint_about(sample_with("M = 64", "M = 1_000_000_000_000")),
              HasSubstr("would hold more than 2^40 bytes"));
}

TEST(Tensors, WithAProductOfExtentsThatOverflowsAreRefused) {
  EXPECT_THAT(
      complaint_about(sample_with("[\"M\", \"N\"]\n[ref",
                                  "[\"M*2^30\", \"N*2^30\", \"N*2^30\", \"N*2^30\"]\n[ref")),
      HasSubstr("would hold more than 2^40 bytes"));
}

TEST(Tensors, HaveAtLeastOneDimensionAndAtMostEight) {
  EXPECT_THAT(complaint_about(sample_with("shape = [\"M\", \"K\"]", "shape = []")),
              HasSubstr("shape is an empty list"));
  EXPECT_THAT(
      complaint_about(sample_with("shape = [\"M\", \"K\"]",
                                  R"(shape = ["1", "1", "1", "1", "1", "1", "1", "1", "1"])")),
      HasSubstr("has 9 dimensions; write at most 8"));
}

TEST(Tensors, HaveShapesOfTextsOnly) {
  EXPECT_THAT(complaint_about(sample_with("[\"M\", \"K\"]", "[\"M\", 16]")),
              HasSubstr("shape holds 16; write a list of texts"));
}

TEST(Tensors, AreAtMostThreeHundredAndTwenty) {
  std::string more;
  for (int i = 0; i < 318; ++i) {
    more += "[[tensor]]\nname = \"T" + std::to_string(i) +
            "\"\nrole = \"in\"\ndtype = \"f32\"\nshape = [\"M\"]\nfill = \"normal\"\n";
  }

  EXPECT_THAT(complaint_about(sample_with("[reference]", more + "[reference]")),
              HasSubstr("this is the 321th; a case has at most 320"));
}

TEST(Tensors, AreNotInputsAlone) {
  EXPECT_THAT(complaint_about(sample_with("role = \"out\"", "role = \"in\"\nfill = \"normal\"")),
              HasSubstr("tensor lists inputs only"));
}

TEST(Tensors, ThatAreOutputsHaveNoFill) {
  EXPECT_THAT(complaint_about(sample_with("role = \"out\"", "role = \"out\"\nfill = \"normal\"")),
              HasSubstr("fill does not apply to role \"out\""));
}

TEST(Tensors, FilledUniformlyHaveBoundsInOrder) {
  EXPECT_THAT(complaint_about(sample_with("high = 2.5", "high = 0")),
              HasSubstr("high is 0; write more than low, which is 0"));
  EXPECT_THAT(complaint_about(sample_with("high = 2.5\n", "")),
              HasSubstr("high is missing; write a finite number"));
}

TEST(Tensors, FilledNormallyHaveNoBounds) {
  EXPECT_THAT(complaint_about(sample_with("fill = \"normal\"", "fill = \"normal\"\nlow = 1")),
              HasSubstr("low does not apply to fill \"normal\""));
}

TEST(Tensors, OfWholeNumbersAreFilledWithIntegersTheyCanHold) {
  const std::string tensor =
      "[[tensor]]\nname = \"u\"\nrole = \"in\"\ndtype = \"u8\"\nshape = [\"M\"]\nfill = "
      "\"integers\"\nlow = 0\nhigh = ";

  const Case problem = parse(sample_with("[reference]", tensor + "255\n[reference]"), "c");
  EXPECT_EQ(problem.tensor("u").fill.distribution, Distribution::integers);
  EXPECT_DOUBLE_EQ(problem.tensor("u").fill.high, 255);
  EXPECT_THAT(complaint_about(sample_with("[reference]", tensor + "256\n[reference]")),
              HasSubstr("a whole number that u8 holds exactly, from 0 to 255"));
}

TEST(Tensors, OfWholeNumbersAreNotFilledNormally) {
  EXPECT_THAT(complaint_about(
                  sample_with("[reference]",
                              "[[tensor]]\nname = \"u\"\nrole = \"in\"\ndtype = \"i32\"\nshape = "
                              "[\"M\"]\nfill = \"normal\"\n[reference]")),
              HasSubstr("fill is \"normal\"; write \"integers\""));
}

}  // namespace
}  // namespace autokernel::cases
