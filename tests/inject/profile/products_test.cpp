#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "recording.h"

namespace autokernel::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

RecordLines products(const std::vector<std::string>& steps) {
  Recorded recorded;
  const Outcome outcome = recorded.play(steps, preloaded());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return recorded.file("gpu");
}

TEST(RecordedProducts, MatmulIsToldWithAllThatItsDescriptorsSay) {
  const RecordLines file = products({"cuda", "product=lt"});
  EXPECT_THAT(
      file.of("O"),
      ElementsAre(ElementsAre(
          "O", "1",
          R"({"call":"cublasLtMatmul","m":32,"n":16,"k":64,"batch":3,"transposes":"TN",)"
          R"("a_type":"R_16BF","b_type":"R_16BF","c_type":"R_16BF","d_type":"R_16BF",)"
          R"("compute_type":"32F","scale_type":"R_32F","lda":64,"ldb":64,"ldc":32,"ldd":32,)"
          R"("stride_a":2048,"stride_b":1024,"stride_c":512,"stride_d":512,"epilogue":"BIAS",)"
          R"("order":"CCCC","pointer_array":false,"alpha":1,"beta":0.5})")));
}

TEST(RecordedProducts, KernelOfAProductIsTiedToIt) {
  const RecordLines file = products({"cuda", "launch=before", "product=lt", "launch=after"});
  const auto kernels = file.of("K");
  ASSERT_THAT(kernels, SizeIs(3));
  EXPECT_THAT(file.of("A"), ElementsAre(ElementsAre("A", kernels[1][6], "1")));
}

TEST(RecordedProducts, EqualProductsHaveOneLine) {
  const RecordLines file = products({"cuda", "product=lt", "product=sgemm", "product=lt"});
  EXPECT_THAT(file.of("O"), SizeIs(2));
  const auto ties = file.of("A");
  ASSERT_THAT(ties, SizeIs(3));
  EXPECT_EQ(ties[0][2], "1");
  EXPECT_EQ(ties[1][2], "2");
  EXPECT_EQ(ties[2][2], "1");
}

TEST(RecordedProducts, ProductWithinAProductIsNotCountedAgain) {
  const RecordLines file = products({"cuda", "product=gemm_ex"});
  const auto operations = file.of("O");
  ASSERT_THAT(operations, SizeIs(1));
  EXPECT_THAT(operations[0][2],
              StartsWith(R"({"call":"cublasGemmEx","m":8,"n":16,"k":32,"batch":1,)"
                         R"("transposes":"NT","a_type":"R_16F")"));
  EXPECT_THAT(file.of("K"), SizeIs(1));
  EXPECT_THAT(file.of("A"), SizeIs(1));
}

TEST(RecordedProducts, FactorsInDeviceMemoryAreUnknown) {
  const RecordLines file = products({"cuda", "product=sgemm"});
  ASSERT_THAT(file.of("O"), SizeIs(1));
  EXPECT_THAT(file.of("O")[0][2], HasSubstr(R"("alpha":null,"beta":null)"));
}

TEST(RecordedProducts, HandleThatAllowsTf32IsToldInTheComputeType) {
  const RecordLines file = products({"cuda", "product=sgemm"});
  ASSERT_THAT(file.of("O"), SizeIs(1));
  EXPECT_THAT(file.of("O")[0][2], HasSubstr(R"("compute_type":"32F_FAST_TF32")"));
}

TEST(RecordedProducts, BatchOfTheWideCallArrivesWhole) {
  const RecordLines file = products({"cuda", "product=strided"});
  ASSERT_THAT(file.of("O"), SizeIs(1));
  EXPECT_THAT(file.of("O")[0][2],
              HasSubstr(R"("call":"cublasGemmStridedBatchedEx_64","m":8,"n":16,"k":32,)"
                        R"("batch":8589934592,"transposes":"CN","a_type":"R_16BF")"));
  EXPECT_THAT(file.of("O")[0][2], HasSubstr(R"("stride_a":100,"stride_b":200,"stride_c":300,)"
                                            R"("stride_d":300)"));
}

TEST(RecordedProducts, ArraysOfPointersAndHalfFactorsAreTold) {
  const RecordLines file = products({"cuda", "product=batched"});
  ASSERT_THAT(file.of("O"), SizeIs(1));
  EXPECT_THAT(file.of("O")[0][2], HasSubstr(R"("batch":5)"));
  EXPECT_THAT(file.of("O")[0][2], HasSubstr(R"("pointer_array":true,"alpha":1,"beta":-2.5})"));
}

TEST(RecordedProducts, WithoutCudaNothingIsRecorded) {
  Recorded recorded;
  const Outcome outcome = recorded.play({"product=lt", "product=gemm_ex"}, preloaded());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(recorded.files("gpu"), IsEmpty());
}

}  // namespace
}  // namespace autokernel::test
