// Kernels that know what was captured, or do nothing, in the place of captured ones.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdint>
#include <cstring>
#include <filesystem>

#include "autokernel/base/base64.h"
#include "e2e/program_workplace.h"
#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class AttackOnCapturedCase : public ExtractionWorkplace {
 protected:
  // The bits of all numbers that were captured of a tensor.
  [[nodiscard]] static std::vector<std::uint32_t> captured(const fs::path& folder,
                                                           const std::string& tensor) {
    const std::string bytes = contents(folder / "capture" / (tensor + ".bin"));
    std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
    std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
    return words;
  }
  [[nodiscard]] static std::string list_of(const std::vector<std::uint32_t>& words) {
    std::string list;
    for (const std::uint32_t word : words) list += fmt::format("{}u, ", word);
    return list;
  }
};

TEST_F(AttackOnCapturedCase, AKernelThatDoesNothingIsIncorrect) {
  expect_verdict(
      bench_with(extracted("decay"),
                 R"(.kernel = "none", .grid = {1}, .block = {32}, .arguments = "inout0")",
                 R"(extern "C" __global__ void none(float* state) {})"),
      "incorrect");
}

TEST_F(AttackOnCapturedCase, AKernelThatWritesZerosIsIncorrect) {
  expect_verdict(bench_with(extracted("softmax"),
                            R"(.kernel = "zeros", .grid = {1}, .block = {32}, .arguments = "out0")",
                            R"(extern "C" __global__ void zeros(float* out) {
  for (int i = threadIdx.x; i < COUNT_out0; i += 32) out[i] = 0;
})"),
                 "incorrect");
}

// It would be right on each number that was captured.
TEST_F(AttackOnCapturedCase, ATableOfTheCapturedNumbersIsIncorrect) {
  const fs::path folder = extracted("scale_and_shift");
  const std::vector<std::uint32_t> known = captured(folder, "in0");
  const std::string kernel = fmt::format(R"(__device__ const unsigned known[] = {{{}}};
extern "C" __global__ void table(float* out, const float* in, float scale, float shift) {{
  const int i = threadIdx.x;
  if (i >= COUNT_out0) return;
  for (int k = 0; k < {}; ++k) {{
    if (__float_as_uint(in[i]) == known[k]) {{
      out[i] = scale * __uint_as_float(known[k]) + shift;
      return;
    }}
  }}
  out[i] = 0;
}})",
                                         list_of(known), known.size());
  const Outcome benched = bench_with(folder,
                                     R"(.kernel = "table", .grid = {1}, .block = {512},
                    .arguments = "out0, in0, value2, value3")",
                                     kernel);
  expect_verdict(benched, "incorrect");
  EXPECT_THAT(benched.out, HasSubstr("inputs like those captured"));
}

// Whole numbers keep their values and change their places.
TEST_F(AttackOnCapturedCase, AKernelThatHoldsTheResultOfIntegersIsIncorrect) {
  const fs::path folder = extracted("prefix", {"--captures", "1"});
  std::vector<std::uint32_t> sums;
  std::uint32_t sum = 0;
  for (const std::uint32_t count : captured(folder, "in0")) {
    sums.push_back(sum);
    sum += count;
  }
  sums.push_back(sum);
  expect_verdict(
      bench_with(folder, R"(.kernel = "held", .grid = {1}, .block = {32}, .arguments = "out0")",
                 fmt::format(R"(__device__ const unsigned sums[] = {{{}}};
extern "C" __global__ void held(int* out) {{
  if (threadIdx.x < COUNT_out0) out[threadIdx.x] = sums[threadIdx.x];
}})",
                             list_of(sums))),
      "incorrect");
}

TEST_F(AttackOnCapturedCase, AnImageOfTheAuthorsOwnIsNoKernel) {
  const fs::path folder = extracted("decay");
  scratch_.write(folder / "kernel.cu", contents(folder / "original.toml"));
  EXPECT_EQ(bench(folder).code, 12);

  std::string text = contents(folder / "case.toml");
  text.insert(text.find("\nproblem"), "\neditable_files = [\"inc/*.cuh\"]");
  scratch_.write(folder / "case.toml", text);
  scratch_.write(folder / "inc" / "a.cuh", base64(contents(folder / "capture" / "original.ptx")));
  std::string description = contents(folder / "original.toml");
  const std::string file = "capture/original.ptx";
  description.replace(description.find(file), file.size(), "inc/a.cuh");
  scratch_.write(folder / "kernel.cu", description);
  EXPECT_EQ(bench(folder).code, 12);
}

TEST_F(AttackOnCapturedCase, AStructWhoseAddressLiesOutsideIsRefused) {
  const fs::path folder = extracted("add_scaled");
  std::string text = contents(folder / "case.toml");
  const std::size_t at = text.find("pointers = [\"") + std::string("pointers = [\"").size();
  text.replace(at, 1, "18446744073709551608");
  scratch_.write(folder / "case.toml", text);
  expect_early_refusal(bench(folder), 2, "pointers");
}

TEST_F(AttackOnCapturedCase, ValuesThatALinkLeadsToAreRefused) {
  const fs::path folder = extracted("decay");
  fs::rename(folder / "capture" / "in0.bin", file("elsewhere.bin"));
  fs::create_symlink(file("elsewhere.bin"), folder / "capture" / "in0.bin");
  expect_early_refusal(bench(folder), 2, "in0.bin");
}

}  // namespace
}  // namespace autokernel::test
