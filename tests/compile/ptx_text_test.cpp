#include "compile/ptx_text.h"

#include <gmock/gmock.h>

#include "compile/compiled.h"
#include "compile/elf.h"
#include "compile/image.h"

namespace autokernel::compile {
namespace {

using testing::ElementsAre;

TEST(ConstantInPtx, GetsBackTheZerosAtItsEnd) {
  EXPECT_THAT(
      constant_bytes(".const .align 8 .b8 name[4] = {65, 0, 7};\n", "name"),
      testing::Optional(ElementsAre(std::byte{65}, std::byte{0}, std::byte{7}, std::byte{0})));
}

TEST(ConstantInPtx, WithoutValuesIsAllZeros) {
  EXPECT_THAT(constant_bytes(".visible .const .align 1 .b8 name[2];", "name"),
              testing::Optional(ElementsAre(std::byte{0}, std::byte{0})));
}

TEST(ConstantInPtx, IsTheOneOfTheModuleAndNotOneOfAFunction) {
  const std::string text =
      "// .const .align 8 .b8 name[1] = {1};\n\t.const .align 8 .b8 name[1] = {2};\n"
      ".const .align 8 .b8 name_too[1] = {3};\n.const .align 8 .b8 name[1] = {4};\n";

  EXPECT_THAT(constant_bytes(text, "name"), testing::Optional(ElementsAre(std::byte{4})));
}

TEST(ConstantInPtx, ThatIsMalformedIsNone) {
  EXPECT_EQ(constant_bytes(".const .align 8 .b8 name[1] = {1, 2};", "name"), std::nullopt);
  EXPECT_EQ(constant_bytes(".const .align 8 .b8 name[1] = {256};", "name"), std::nullopt);
  EXPECT_EQ(constant_bytes(".const .align 8 .b8 name[99999999999999999999] = {1};", "name"),
            std::nullopt);
  EXPECT_EQ(constant_bytes(".const .align 8 .u64 name[1] = {1};", "name"), std::nullopt);
  EXPECT_EQ(constant_bytes("", "name"), std::nullopt);
}

TEST(ConstantInPtx, CutAtAnyByteIsNone) {
  const std::string text = ".const .align 8 .b8 name[4] = {65, 0, 7};";
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(constant_bytes(text.substr(0, size), "name"), std::nullopt) << size;
  }
}

TEST(ConstantInPtx, IsThatOfTheCubin) {
  const Program result = program(with_kernel("AUTOKERNEL_WORKSPACE(M);", "x[0] = 1;"));
  const Elf elf(result.cubin);

  EXPECT_EQ(constant_bytes(result.ptx, "autokernel_launch"),
            constant_bytes(elf, "autokernel_launch"));
  EXPECT_EQ(constant_bytes(result.ptx, "autokernel_workspace"),
            constant_bytes(elf, "autokernel_workspace"));
  EXPECT_TRUE(constant_bytes(elf, "autokernel_workspace").has_value());
}

TEST(ParametersInPtx, HaveTheSizesOfTheirTypes) {
  const std::string text =
      ".visible .entry f(\n\t.param .u64 .ptr .align 1 f_param_0,\n\t.param .f32 f_param_1,\n"
      "\t.param .align 8 .b8 f_param_2[24]\n)\n{";

  EXPECT_THAT(parameter_bytes(text, "f"), testing::Optional(ElementsAre(8, 4, 24)));
}

TEST(ParametersInPtx, MayBeNone) {
  EXPECT_THAT(parameter_bytes(".visible .entry f()\n{", "f"),
              testing::Optional(testing::IsEmpty()));
}

TEST(ParametersInPtx, OfAKernelThatIsNotThereAreNotFound) {
  EXPECT_EQ(parameter_bytes(".visible .entry ff()\n{", "f"), std::nullopt);
  EXPECT_EQ(parameter_bytes(".visible .entry f(\n\t.param .u64", "f"), std::nullopt);
}

}  // namespace
}  // namespace autokernel::compile
