// The case files of the project itself.
#include "autokernel/cases/case.h"

#include <gmock/gmock.h>

#include "autokernel/base/error.h"

namespace autokernel::cases {
namespace {

const std::filesystem::path kTree = AUTOKERNEL_SOURCE_DIR;

TEST(DefaultCase, IsABf16MatMulOf1024) {
  const Case problem = load(kTree / "kernels");

  EXPECT_EQ(problem.name, "MatMul");
  EXPECT_EQ(problem_line(problem, "default"), "MatMul [1024,1024] x [1024,1024] bfloat16");
  EXPECT_EQ(problem_line(problem, "check"), "MatMul [256,256] x [256,256] bfloat16");
  ASSERT_EQ(problem.tensors.size(), 3U);
  EXPECT_EQ(problem.tensor("A").dtype, DType::bf16);
  EXPECT_EQ(problem.tensor("A").role, Role::in);
  EXPECT_EQ(problem.tensor("C").role, Role::out);
  EXPECT_EQ(problem.kernel_file(), kTree / "kernels" / "kernel.cu");
}

TEST(DefaultCase, IsASumOfProductsComparedWithCublas) {
  const Case problem = load(kTree / "kernels");

  const auto& exact = std::get<SumOfProducts>(problem.exactness);
  EXPECT_EQ(exact.left, "A");
  EXPECT_EQ(exact.right, "B");
  EXPECT_EQ(exact.output, "C");
  EXPECT_EQ(exact.symbol, "K");
  const auto& reference = std::get<GemmReference>(problem.reference);
  EXPECT_EQ(reference.left, "A");
  EXPECT_EQ(reference.right, "B");
  EXPECT_EQ(reference.output, "C");
  EXPECT_DOUBLE_EQ(problem.tolerance.absolute, 1e-2);
  EXPECT_DOUBLE_EQ(problem.tolerance.relative, 1e-2);
}

TEST(DefaultCase, CountsFlopsAndBytes) {
  const Case problem = load(kTree / "kernels");

  EXPECT_DOUBLE_EQ(flops_at(problem, "default"), 2.0 * 1024 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(bytes_at(problem, "default"), 6.0 * 1024 * 1024);
}

TEST(ElementwiseCase, IsExactOnEveryInputAndHasAReferenceKernel) {
  const Case problem = load(kTree / "tests" / "data" / "elementwise");

  EXPECT_TRUE(std::holds_alternative<ExactAlways>(problem.exactness));
  EXPECT_EQ(std::get<KernelReference>(problem.reference).file, "reference.cu");
  EXPECT_EQ(problem.tensor("y").fill.distribution, Distribution::uniform);
  EXPECT_DOUBLE_EQ(problem.tensor("y").fill.low, -1.0);
  EXPECT_EQ(element_count(problem.tensor("z"), problem.sizes.at("default")), 1U << 20U);
}

TEST(AxpyCase, UpdatesATensorInPlaceWithinATolerance) {
  const Case problem = load(kTree / "tests" / "data" / "axpy");

  EXPECT_TRUE(std::holds_alternative<NotExact>(problem.exactness));
  EXPECT_EQ(problem.tensor("y").role, Role::inout);
}

}  // namespace
}  // namespace autokernel::cases
