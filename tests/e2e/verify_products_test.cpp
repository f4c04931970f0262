// `autokernel verify` of kernels that stand for products of cuBLAS.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "e2e/program_workplace.h"
#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

// y = W^T x of product_model.cpp: m = 40, n = 24, k = 50; and what the case gemm makes of it.
constexpr const char* kExtracted =
    R"({"schema_version":1,"cases":[{"folder":"linear","kernel":"product",)"
    R"("grid":{"x":2,"y":24,"z":1},"block":{"x":32,"y":1,"z":1},"dynamic_shared":0,)"
    R"("operation":"40x24x50 R_32F TN","program":"product_model","bytes":1,"image":null,"product":)"
    R"({"call":"cublasGemmEx","m":40,"n":24,"k":50,"batch":1,"transposes":"TN",)"
    R"("a_type":"R_32F","b_type":"R_32F","c_type":"R_32F","d_type":"R_32F",)"
    R"("compute_type":"32F","scale_type":"R_32F","lda":50,"ldb":50,"ldc":40,"ldd":40,)"
    R"("stride_a":0,"stride_b":0,"stride_c":0,"stride_d":0,"epilogue":"DEFAULT",)"
    R"("order":"CCCC","pointer_array":false,"alpha":1,"beta":0}}]})";
constexpr const char* kSizes =
    "[sizes.default]\nTYPE = \"f32\"\nM = 24\nN = 40\nK = 50\nLAYOUT_A = 1\nLAYOUT_B = 2\n\n"
    "[sizes.of_the_box]";
// A warp for each element of C.
constexpr const char* kKernel = R"(#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "warps", .grid = {N, M}, .block = {32}});
extern "C" __global__ void warps(const TYPE* A, const TYPE* B, TYPE* C) {
  float sum = 0;
  for (int k = threadIdx.x; k < K; k += 32) {
    const float a = static_cast<float>(A[LAYOUT_A == 1 ? blockIdx.y * K + k : k * M + blockIdx.y]);
    const float b = static_cast<float>(B[LAYOUT_B == 1 ? k * N + blockIdx.x : blockIdx.x * K + k]);
    sum += a * b;
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0U, sum, step);
  if (threadIdx.x == 0) C[blockIdx.y * N + blockIdx.x] = static_cast<TYPE>(sum);
}
)";

class VerifyProducts : public ProgramWorkplace {
 protected:
  VerifyProducts() {
    const fs::path folder = file("cases/linear");
    fs::create_directories(folder.parent_path());
    fs::copy(fs::path(AUTOKERNEL_SOURCES) / "kernels/gemm", folder, fs::copy_options::recursive);
    std::string text = contents(folder / "case.toml");
    const std::string place = "[sizes.default]";
    text.replace(text.find(place), place.size(), kSizes);
    scratch_.write(folder / "case.toml", text);
    scratch_.write(folder / "kernel.cu", kKernel);
    scratch_.write(file("cases/extracted.json"), kExtracted);
  }
  [[nodiscard]] Outcome verify(const Words& program) const {
    return run(on_program("verify", {"--pairs", "3"}, program));
  }
  [[nodiscard]] static Words model(const Words& arguments = {}) {
    Words words = {AUTOKERNEL_PRODUCT_MODEL};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
  }
};

TEST_F(VerifyProducts, ReplacesThemAtTheApi) {
  const Outcome verified = verify(model({"20"}));
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("20 of 20 launches replaced"));
  const Outcome applied = run(on_program("apply", {}, model({"7"})));
  EXPECT_EQ(applied.code, 0) << applied.err;
  EXPECT_EQ(applied.err, "autokernel: linear: 7 of 7 launches replaced\n");
}

TEST_F(VerifyProducts, LeavesOtherProductsToTheLibrary) {
  const Outcome verified = verify(model({"5", "padded"}));
  EXPECT_EQ(verified.code, 11) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("did not launch the kernel that it is for"));
}

TEST_F(VerifyProducts, FindsOneWrongOnTheProgramsOwnNumbers) {
  std::string wrong = kKernel;
  // The first of the program's weights; no case has it.
  const std::string place = "static_cast<TYPE>(sum)";
  wrong.replace(wrong.find(place), place.size(),
                "static_cast<TYPE>((float)B[0] == -0.12F ? sum * 1.5F : sum)");
  scratch_.write(file("cases/linear/kernel.cu"), wrong);
  const Outcome verified = verify(model({"20"}));
  EXPECT_EQ(verified.code, 11) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("linear: wrong: "));
}

}  // namespace
}  // namespace autokernel::test
