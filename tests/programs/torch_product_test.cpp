#include "programs/profile/torch_product.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "programs/traces.h"

namespace autokernel::programs {
namespace {

using testing::AllOf;
using testing::Eq;
using testing::Field;
using testing::Optional;

// What the profile says of an operation with these arguments.
std::optional<Product> product(const std::string& name, const std::string& arguments) {
  const Profile profile = profile_of(
      trace_of(R"({"ph": "X", "cat": "cpu_op", "name": ")" + name +
               R"(", "pid": 1, "tid": 1, "ts": 1, "dur": 9, "args": {)" + arguments + R"(}},
         {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
          "ts": 2, "dur": 1, "args": {"correlation": 1}},
         {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 3, "dur": 1,
          "args": {"correlation": 1}})"));
  return profile.operations.at(0).product;
}

// One that there has to be.
Product known_product(const std::string& name, const std::string& arguments) {
  const std::optional<Product> found = product(name, arguments);
  EXPECT_TRUE(found.has_value());
  return found.value_or(Product{});
}

auto has_sizes(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1) {
  return Optional(AllOf(Field(&Product::m, m), Field(&Product::n, n), Field(&Product::k, k),
                        Field(&Product::batch, batch)));
}
auto has_leading(const std::string& transposes, std::int64_t a, std::int64_t b, std::int64_t d) {
  return Optional(AllOf(Field(&Product::transposes, transposes), Field(&Product::lda, a),
                        Field(&Product::ldb, b), Field(&Product::ldd, d)));
}

TEST(TorchProduct, OfRowMajorMatricesIsThatOfTheColumnMajorOnesInTurn) {
  EXPECT_THAT(product("aten::mm", R"("Input Dims": [[3, 5], [5, 7]])"), has_sizes(7, 3, 5));
  EXPECT_THAT(product("aten::_scaled_mm", R"("Input Dims": [[3, 5], [5, 7], []])"),
              has_sizes(7, 3, 5));
}

TEST(TorchProduct, HasNoDistancesWhereStridesWereNotRecorded) {
  EXPECT_THAT(product("aten::mm", R"("Input Dims": [[3, 5], [5, 7]])"), has_leading("NN", 0, 0, 0));
}

TEST(TorchProduct, HasThoseOfTheStrides) {
  EXPECT_THAT(
      product("aten::mm", R"("Input Dims": [[3, 5], [5, 7]], "Input Strides": [[6, 1], [8, 1]])"),
      has_leading("NN", 8, 6, 7));
}

TEST(TorchProduct, IsTransposedWhereTheStridesAre) {
  EXPECT_THAT(
      product("aten::mm", R"("Input Dims": [[3, 5], [5, 7]], "Input Strides": [[1, 3], [1, 5]])"),
      has_leading("TT", 5, 3, 7));
}

TEST(TorchProduct, OfWhatCublasCannotReadHasNoDistances) {
  EXPECT_THAT(
      product("aten::mm", R"("Input Dims": [[3, 5], [5, 7]], "Input Strides": [[10, 2], [7, 1]])"),
      has_leading("NN", 7, 0, 7));
}

TEST(TorchProduct, OfALinearLayerFoldsTheLeadingDimensions) {
  const Product linear = known_product("aten::linear",
                                       R"("Input Dims": [[2, 3, 5], [7, 5], []],
                 "Input Strides": [[15, 5, 1], [5, 1], []])");
  EXPECT_THAT(std::optional(linear), has_sizes(7, 6, 5));
  EXPECT_THAT(std::optional(linear), has_leading("TN", 5, 0, 7));
  EXPECT_EQ(linear.epilogue, "DEFAULT");
}

TEST(TorchProduct, OfABatchHasTheDistancesBetweenItsMatrices) {
  const Product batch = known_product(
      "aten::bmm",
      R"("Input Dims": [[4, 3, 5], [4, 5, 7]], "Input Strides": [[15, 5, 1], [35, 7, 1]])");
  EXPECT_THAT(std::optional(batch), has_sizes(7, 3, 5, 4));
  EXPECT_EQ(batch.stride_a, 35);
  EXPECT_EQ(batch.stride_b, 15);
  EXPECT_EQ(batch.stride_d, 21);
}

TEST(TorchProduct, WithAVectorHasABias) {
  const Product sum = known_product("aten::addmm",
                                    R"("Input Dims": [[7], [3, 5], [5, 7], [], []],
                              "Concrete Inputs": ["", "", "", "1", "1"])");
  EXPECT_THAT(std::optional(sum), has_sizes(7, 3, 5));
  EXPECT_EQ(sum.epilogue, "BIAS");
  EXPECT_EQ(sum.beta, 0);
}

TEST(TorchProduct, WithAMatrixIsASum) {
  const Product sum = known_product("aten::baddbmm",
                                    R"("Input Dims": [[4, 3, 7], [4, 3, 5], [4, 5, 7], [], []],
                              "Concrete Inputs": ["", "", "", "0.5", "2"])");
  EXPECT_THAT(std::optional(sum), has_sizes(7, 3, 5, 4));
  EXPECT_EQ(sum.epilogue, "DEFAULT");
  EXPECT_EQ(sum.beta, 0.5);
  EXPECT_EQ(sum.alpha, 2);
}

TEST(TorchProduct, HasTheTypesOfTheInputs) {
  const Product typed = known_product("aten::mm",
                                      R"("Input Dims": [[3, 5], [5, 7]],
                                "Input type": ["c10::BFloat16", "c10::BFloat16"])");
  EXPECT_EQ(typed.a_type, "R_16BF");
  EXPECT_EQ(typed.b_type, "R_16BF");
  EXPECT_EQ(typed.d_type, "R_16BF");
}

TEST(TorchProduct, HasNoTypeForOneThatCublasLacks) {
  const Product typed = known_product(
      "aten::mm", R"("Input Dims": [[3, 5], [5, 7]], "Input type": ["bool", "float"])");
  EXPECT_EQ(typed.a_type, "R_32F");
  EXPECT_EQ(typed.b_type, "");
}

TEST(TorchProduct, IsNoneWhereTheShapesDoNotFit) {
  EXPECT_THAT(product("aten::mm", R"("Input Dims": [[3, 5], [6, 7]])"), Eq(std::nullopt));
  EXPECT_THAT(product("aten::mm", R"("Input Dims": [[3, 5]])"), Eq(std::nullopt));
  EXPECT_THAT(product("aten::mm", R"("Input Dims": [[3], [3, 7]])"), Eq(std::nullopt));
  EXPECT_THAT(product("aten::bmm", R"("Input Dims": [[4, 3, 5], [2, 5, 7]])"), Eq(std::nullopt));
  EXPECT_THAT(product("aten::linear", R"("Input Dims": [[], [7, 5]])"), Eq(std::nullopt));
  EXPECT_THAT(product("aten::linear", R"("Input Dims": [[4611686018427387904, 4, 5], [7, 5]])"),
              Eq(std::nullopt));
  EXPECT_THAT(product("aten::relu", R"("Input Dims": [[3, 5], [5, 7]])"), Eq(std::nullopt));
}

}  // namespace
}  // namespace autokernel::programs
