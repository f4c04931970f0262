#include "trial/runner/runtime_sizes.h"

#include <gmock/gmock.h>

namespace autokernel::trial {
namespace {

using testing::HasSubstr;

constexpr const char* kText = R"(.version 8.0
.target sm_90a
.global .align 4 .u32 N = 4096;
.const .align 8 .b8 autokernel_launch[4] = {1, 2, 3, 4};
.func  (.param .b32 func_retval0) twice(
	.param .b32 twice_param_0
)
;
.visible .entry combine(
	.param .u64 combine_param_0
)
{
	ret;

}
	// the end
)";

const std::vector<std::string> kLeftOut = {"N", "autokernel_launch"};

TEST(RuntimeSizes, AreNoPartOfTheCodeWhereTheyAreDeclared) {
  const std::string code = code_in(kText, kLeftOut);

  EXPECT_THAT(code, HasSubstr(".visible .entry combine("));
  EXPECT_THAT(code, HasSubstr("\tret;"));
  EXPECT_THAT(code, HasSubstr("twice_param_0"));
  EXPECT_THAT(code, HasSubstr("the end"));
  EXPECT_THAT(code, testing::Not(HasSubstr("4096")));
  EXPECT_THAT(code, testing::Not(HasSubstr("autokernel_launch")));
}

TEST(RuntimeSizes, ArePartOfTheCodeAnywhereElse) {
  for (const std::string line :
       {".global .align 4 .u32 NN = 4096;", ".const .align 4 .u32 autokernel_launched = 1;",
        "\t.global .align 4 .u32 N = 4096;", ".global .align 4 .u32 N = 4; mov.u32 %r1, 5;",
        "mov.u32 %r1, N;", "} .global .align 4 .u32 N = 4096;", ".shared .align 4 .b8 N[4096];"}) {
    EXPECT_EQ(code_in(line + "\n", kLeftOut), line + "\n");
  }
}

TEST(RuntimeSizes, OfATextThatIsCutOffLeaveTheRest) {
  const std::string text = kText;
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_LE(code_in(text.substr(0, length), kLeftOut).size(), length + 1);
  EXPECT_EQ(code_in("", kLeftOut), "");
}

}  // namespace
}  // namespace autokernel::trial
