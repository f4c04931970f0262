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

TEST(RuntimeSizes, FunctionsAreToldFromWhatStandsBetweenThem) {
  const std::string functions = functions_of(kText);

  EXPECT_THAT(functions, HasSubstr(".visible .entry combine("));
  EXPECT_THAT(functions, HasSubstr("\tret;"));
  EXPECT_THAT(functions, HasSubstr("twice_param_0"));
  EXPECT_THAT(functions, testing::Not(HasSubstr("4096")));
  EXPECT_THAT(functions, testing::Not(HasSubstr("autokernel_launch")));
  EXPECT_THAT(functions, testing::Not(HasSubstr("the end")));
}

TEST(RuntimeSizes, FunctionsOfATextThatIsCutOffAreFound) {
  const std::string text = kText;
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_LE(functions_of(text.substr(0, length)).size(), length);
  }
  EXPECT_EQ(functions_of(""), "");
}

}  // namespace
}  // namespace autokernel::trial
