// [[scalar]]: values that a kernel takes by value.
#include <gmock/gmock.h>

#include "cases/sample.h"

namespace autokernel::cases {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::ThrowsMessage;

Case with_scalar(const std::string& lines) {
  return parse(kernel_sample() + "[[scalar]]\n" + lines + "\n", "/case");
}
void expect_refused(const std::string& lines, const std::string& words) {
  EXPECT_THAT([&] { static_cast<void>(with_scalar(lines)); },
              ThrowsMessage<Error>(AllOf(HasSubstr("/case/case.toml:"), HasSubstr(words))))
      << lines;
}

TEST(Scalars, ComeBehindTheTensors) {
  const Case problem = with_scalar(
      "name = \"alpha\"\ndtype = \"f32\"\nlow = -1\nhigh = 1.5\n[[scalar]]\nname = \"n\"\ndtype = "
      "\"i32\"\nvalue = 7");

  EXPECT_THAT(problem.tensors,
              ElementsAre(Field(&Tensor::name, "x"), Field(&Tensor::name, "y"),
                          Field(&Tensor::name, "alpha"), Field(&Tensor::name, "n")));
  const Tensor& alpha = problem.tensors[2];
  EXPECT_TRUE(alpha.is_scalar);
  EXPECT_EQ(alpha.fill.distribution, Distribution::uniform);
  EXPECT_EQ(alpha.fill.low, -1);
  EXPECT_EQ(alpha.fill.high, 1.5);
  EXPECT_EQ(element_count(alpha, problem.sizes.at("default")), 1U);
  const Tensor& n = problem.tensors[3];
  EXPECT_EQ(n.fill.distribution, Distribution::integers);
  EXPECT_EQ(n.fill.low, 7);
  EXPECT_EQ(n.fill.high, 7);
  EXPECT_FALSE(problem.tensors[0].is_scalar);
}

TEST(Scalars, ThatAreWrongAreRefusedWithWhatToWrite) {
  const std::string alpha = "name = \"alpha\"\ndtype = \"f32\"\n";
  expect_refused(alpha, "[[scalar]] alpha value is missing; write one, or low and high");
  expect_refused(alpha + "high = 1", "[[scalar]] alpha low is missing");
  expect_refused(alpha + "value = 1\nlow = 0", "[[scalar]] alpha low does not go with value");
  expect_refused(alpha + "low = 2\nhigh = 1", "[[scalar]] alpha high is 1; write more than low");
  expect_refused(alpha + "value = 1e300", "[[scalar]] alpha value");
  expect_refused(alpha + "value = 1\nshape = [\"1\"]", "shape is not known");
  expect_refused("name = \"n\"\ndtype = \"u8\"\nvalue = 256", "[[scalar]] n value");
  expect_refused("name = \"n\"\ndtype = \"f128\"\nvalue = 1", "[[scalar]] n dtype is \"f128\"");
  expect_refused("name = \"n\"\ndtype = \"i64\"\nlow = 0\nhigh = 4294967296",
                 "[[scalar]] n high is 4294967296, and low is 0; at most 2^32 values");
  expect_refused("name = \"x\"\ndtype = \"i32\"\nvalue = 1",
                 "every tensor and scalar has a name of its own");
  expect_refused("name = \"N\"\ndtype = \"i32\"\nvalue = 1", "is \"N\", which is a size");
  expect_refused("name = \"a b\"\ndtype = \"i32\"\nvalue = 1", "write letters, digits and _ only");
}

TEST(Scalars, DoNotGoWithWhatTakesNone) {
  const std::string scalar = "[[scalar]]\nname = \"alpha\"\ndtype = \"f32\"\nvalue = 1\n";
  EXPECT_THAT([&] { static_cast<void>(parse(sample() + scalar, "/case")); },
              ThrowsMessage<Error>(HasSubstr("has no use for a [[scalar]]")));
}

}  // namespace
}  // namespace autokernel::cases
