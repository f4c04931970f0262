#include "compile/kernel_names.h"

#include <gmock/gmock.h>

namespace autokernel::compile {
namespace {

TEST(KernelName, IsFoundAsItIsWritten) {
  EXPECT_EQ(resolve_kernel("f", {"g", "f"}), "f");
  EXPECT_EQ(resolve_kernel("_Z1fPf", {"_Z1fPf"}), "_Z1fPf");
}

TEST(KernelName, IsFoundByItsCppName) {
  EXPECT_EQ(resolve_kernel("matmul", {"_Z6matmulPK13__nv_bfloat16S1_PS_", "f"}),
            "_Z6matmulPK13__nv_bfloat16S1_PS_");
  EXPECT_EQ(resolve_kernel("f<3>", {"_Z1fILi3EEvPf"}), "_Z1fILi3EEvPf");
  EXPECT_EQ(resolve_kernel("n::f", {"_ZN1n1fEPi"}), "_ZN1n1fEPi");
}

TEST(KernelName, ThatTwoKernelsShareIsNone) {
  EXPECT_EQ(resolve_kernel("g", {"_Z1gPf", "_Z1gPi"}), std::nullopt);
}

TEST(KernelName, ThatNoKernelHasIsNone) {
  EXPECT_EQ(resolve_kernel("g", {"f"}), std::nullopt);
  EXPECT_EQ(resolve_kernel("", {}), std::nullopt);
}

TEST(ReadableName, HasNeitherParametersNorReturnType) {
  EXPECT_EQ(readable_name("_Z1fILi3EEvPf"), "f<3>");
  EXPECT_EQ(readable_name("_ZN1n1fEPi"), "n::f");
  EXPECT_EQ(readable_name("plain"), "plain");
  EXPECT_EQ(readable_name("_Znonsense"), "_Znonsense");
}

}  // namespace
}  // namespace autokernel::compile
