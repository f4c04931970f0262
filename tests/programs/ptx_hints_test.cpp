#include "programs/capture/ptx_hints.h"

#include <gmock/gmock.h>

namespace autokernel::programs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kText = R"(
.version 8.0
.target sm_80
.visible .entry to_half(
  .param .u64 .ptr .global .align 4 to_half_param_0,
  .param .u64 to_half_param_1,
  .param .f32 to_half_param_2,
  .param .align 8 .b8 to_half_param_3[24]
) {
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [to_half_param_0];
$L__BB0_1:
  @%p1 ld.global.nc.f32 %f1, [%rd1];
  { cvt.rn.f16.f32 %rs1, %f1; }
  st.global.u16 [%rd2], %rs1;
  ret;
}
.entry to_half_again(.param .f64 x) { ld.global.f32 %f1, [%rd1]; ld.global.u32 %r1, [%rd1]; ret; }
.entry sums() { red.global.add.f32 [%rd1], %f1; st.global.f64 [%rd1], %fd1; ret; }
.entry counts() { atom.global.add.u32 %r1, [%rd1], 1; atom.global.max.f32 %f1, [%rd1], %f2; ret; }
)";

TEST(PtxHints, HaveTheTypesOfParameters) {
  EXPECT_THAT(ptx_hints(kText, "to_half").parameters, ElementsAre("u64", "u64", "f32", "b8"));
  EXPECT_THAT(ptx_hints(kText, "to_half_again").parameters, ElementsAre("f64"));
  EXPECT_THAT(ptx_hints(kText, "sums").parameters, IsEmpty());
  EXPECT_THAT(ptx_hints(kText, "to").parameters, IsEmpty());
}

TEST(PtxHints, SayWhatIsLoadedAndStoredWhereThatIsOfOneFloatingType) {
  EXPECT_EQ(ptx_hints(kText, "to_half").only_loads, "f32");
  EXPECT_EQ(ptx_hints(kText, "to_half").only_stores, "");
  EXPECT_EQ(ptx_hints(kText, "to_half_again").only_loads, "");
  EXPECT_EQ(ptx_hints(kText, "sums").only_stores, "f64");
}

TEST(PtxHints, TellTheHalfType) {
  EXPECT_TRUE(ptx_hints(kText, "to_half").has_f16);
  EXPECT_FALSE(ptx_hints(kText, "to_half").has_bf16);
}

TEST(PtxHints, KnowSumsThatDependOnTheirOrder) {
  EXPECT_TRUE(ptx_hints(kText, "sums").adds_floats_atomically);
  EXPECT_FALSE(ptx_hints(kText, "counts").adds_floats_atomically);
}

TEST(PtxHints, OfATextThatIsCutAreReadOrNot) {
  const std::string text = kText;
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_LE(ptx_hints(text.substr(0, size), "to_half").parameters.size(), 4) << size;
  }
}

}  // namespace
}  // namespace autokernel::programs
