// The operations below kernels/: each starting kernel is right at small and at odd sizes and in
// each type, another honest style is accepted, and the usual mistakes are refused. Of each
// operation a few stand for all; AUTOKERNEL_TEST_FULL=1 takes every mistake and every style at an
// odd size too, and each odd size of each operation.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "e2e/workplace.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;

const fs::path kOperations = AUTOKERNEL_SOURCES "/kernels";
constexpr std::array kAll = {
    "softmax",   "rmsnorm",     "layernorm",  "embedding", "cross_entropy",   "rotary_embedding",
    "transpose", "add_rmsnorm", "reduce",     "adamw",     "flash_attention", "gemm",
    "gemm_fp8",  "gemm_int8",   "gemm_w4a16", "topk",      "sampling",        "conv2d",
    "fused_mlp", "moe_gemm",    "scan"};
// One of each kind: rows, windows, carried sums, products, attention, choices. What is tried at odd
// sizes stands for the others.
constexpr std::array kOneOfEachKind = {"softmax", "conv2d", "scan",
                                       "gemm",    "topk",   "flash_attention"};
const fs::path kHonest = AUTOKERNEL_SOURCES "/tests/data/operations";

[[nodiscard]] std::string contents_of(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

[[nodiscard]] bool stands_for_its_kind(const std::string& operation) {
  return std::ranges::find(kOneOfEachKind, operation) != kOneOfEachKind.end();
}

class Operations : public Workplace {
 protected:
  [[nodiscard]] Outcome bench_of(const std::string& operation, const std::string& size,
                                 const fs::path& kernel) const {
    return run_autokernel({"bench", "--device", "cpu", "--case", kOperations / operation, "--size",
                           size, "--kernel", kernel});
  }
};

struct Start {
  std::string operation;
  std::string size;
};
void PrintTo(const Start& start, std::ostream* out) { *out << start.size; }

class StartingKernelOf : public Operations, public testing::WithParamInterface<Start> {};

TEST_P(StartingKernelOf, IsRight) {
  const auto& [operation, size] = GetParam();
  const bool is_usual = size == "check" || (stands_for_its_kind(operation) &&
                                            (size == "edge_1537" || !size.starts_with("edge")));
  if (!is_usual && !everything_is_wanted()) GTEST_SKIP() << "AUTOKERNEL_TEST_FULL=1 takes it";
  const Outcome run = bench_of(operation, size, kOperations / operation / "kernel.cu");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  expect_nothing_left();
}

[[nodiscard]] std::vector<Start> starts() {
  std::vector<Start> all;
  for (const char* operation : kAll) {
    for (const char* size :
         {"check", "edge_1", "edge_127", "edge_1023", "edge_1537", "edge_4097"}) {
      all.push_back({operation, size});
    }
  }
  for (const char* operation : {"gemm", "rmsnorm", "layernorm"}) {
    all.push_back({operation, "check_f16"});
    all.push_back({operation, "check_f32"});
  }
  all.push_back({"softmax", "check_f16"});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Each, StartingKernelOf, testing::ValuesIn(starts()),
                         [](const auto& tested) {
                           return tested.param.operation + "_" + tested.param.size;
                         });

// On the emulated device, what is timed in one type is not held against another.
TEST_F(Operations, AreCheckedInTheTypeThatIsTimed) {
  std::string source = contents_of(kOperations / "rmsnorm" / "kernel.cu");
  const std::string result = "y[col] =";
  source.insert(source.find(result) + result.size(), " sizeof(TYPE) == 4 ? TYPE(0) : ");
  scratch_.write("wrong_in_f32.cu", source);
  const fs::path kernel = scratch_.path() / "wrong_in_f32.cu";
  EXPECT_EQ(bench_of("rmsnorm", "check_f16", kernel).code, 0);
  const Outcome wrong = bench_of("rmsnorm", "check_f32", kernel);
  expect_rejection(wrong, 11, "incorrect");
  EXPECT_THAT(wrong.out, testing::HasSubstr("TYPE = f32"));
}

// One of another kind than the start, in a file of its own.
class HonestStyleOf : public Operations, public testing::WithParamInterface<const char*> {};

TEST_P(HonestStyleOf, IsAccepted) {
  if (!everything_is_wanted() && !stands_for_its_kind(GetParam()))
    GTEST_SKIP() << "others stand for it; AUTOKERNEL_TEST_FULL=1 takes it";
  for (const char* size : {"check", "edge_1537"}) {
    if (size != std::string("check") && !everything_is_wanted()) continue;
    const Outcome run = bench_of(GetParam(), size, kHonest / (std::string(GetParam()) + ".cu"));
    EXPECT_EQ(run.code, 0) << size << "\n" << run.out << run.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, HonestStyleOf, testing::ValuesIn(kAll),
                         [](const auto& tested) { return std::string(tested.param); });

// An edit of the starting kernel that is the mistake.
struct Mistake {
  std::string operation;
  std::string name;
  std::string from;
  std::string to;
};
void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.from; }

const std::vector<Mistake>& mistakes();

// The first of its operation, or the first two.
[[nodiscard]] bool stands_for_others(const Mistake& mistake) {
  const int of_each = stands_for_its_kind(mistake.operation) ? 2 : 1;
  int before = 0;
  for (const Mistake& other : mistakes()) {
    if (other.operation != mistake.operation) continue;
    if (other.name == mistake.name) break;
    ++before;
  }
  return before < of_each;
}

class MistakeIn : public Operations, public testing::WithParamInterface<Mistake> {};

TEST_P(MistakeIn, IsRefused) {
  if (!everything_is_wanted() && !stands_for_others(GetParam()))
    GTEST_SKIP() << "one or two stand for all; AUTOKERNEL_TEST_FULL=1 tries the others";
  const auto& [operation, name, from, to] = GetParam();
  std::string source = contents_of(kOperations / operation / "kernel.cu");
  ASSERT_NE(source.find(from), std::string::npos);
  for (std::size_t at = source.find(from); at != std::string::npos;
       at = source.find(from, at + to.size())) {
    source.replace(at, from.size(), to);
  }
  scratch_.write("mistaken.cu", "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n" + source);
  const Outcome run = bench_of(operation, "check", scratch_.path() / "mistaken.cu");
  expect_rejection(run, 11, "incorrect");
}

constexpr const char* kValues = "__shared__ float values[THREADS];";
constexpr const char* kValuesInBf16 = "__shared__ __nv_bfloat16 values[THREADS];";

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = {
      Mistake{"softmax", "TheMaximumIsNotSubtracted", "x[col]) - most)", "x[col]))"},
      Mistake{"softmax", "SumsInBf16", kValues, kValuesInBf16},
      Mistake{"softmax", "TheTailIsLeftOut", "col < COLS;", "col < COLS / THREADS * THREADS;"},
      Mistake{"softmax", "OffByOne", "float sum = 0;\n  for (int col = threadIdx.x;",
              "float sum = 0;\n  for (int col = threadIdx.x + 1;"},
      Mistake{"softmax", "AnotherBase", "__expf(", "exp2f("},
      Mistake{"rmsnorm", "EpsilonIsForgotten", " + epsilon", ""},
      // f16 ends at 65504. In bf16 the error of such a sum is no larger than that of rounding y.
      Mistake{"rmsnorm", "SumsInF16", "float values[THREADS]", "__half values[THREADS]"},
      Mistake{"rmsnorm", "TheTailIsLeftOut", "col < COLS;", "col < COLS / THREADS * THREADS;"},
      Mistake{"rmsnorm", "OffByOne", "weight[col]", "weight[col == 0 ? 0 : col - 1]"},
      Mistake{"rmsnorm", "AStaleScale", "const float value = static_cast<float>(x[col]);",
              "const float value = static_cast<float>(x[blockIdx.x == 0 ? col : col - COLS]);"},
      Mistake{"layernorm", "EpsilonIsForgotten", " + epsilon", ""},
      Mistake{"layernorm", "SumsInBf16", kValues, kValuesInBf16},
      Mistake{"layernorm", "TheTailIsLeftOut", "col < COLS;", "col < COLS / THREADS * THREADS;"},
      Mistake{"layernorm", "OffByOne", "bias[col]", "bias[col == 0 ? 0 : col - 1]"},
      Mistake{"layernorm", "TheMeanIsNotSubtracted",
              "const float distance = static_cast<float>(x[col]) - mean;",
              "const float distance = static_cast<float>(x[col]);"},
      Mistake{"embedding", "OffByOne", "ids[blockIdx.x]", "(ids[blockIdx.x] + 1) % VOCABULARY"},
      Mistake{"embedding", "TheTailIsLeftOut", "i < HIDDEN;", "i < HIDDEN / THREADS * THREADS;"},
      Mistake{"embedding", "TokensForWords", "ids[blockIdx.x]", "blockIdx.x"},
      Mistake{"embedding", "AStaleWord", "ids[blockIdx.x]", "ids[blockIdx.x / 2 * 2]"},
      Mistake{"embedding", "ByWayOfF16", "y[i] = table[i];",
              "y[i] = __float2bfloat16(__half2float(__float2half(__bfloat162float(table[i]))));"},
      Mistake{"cross_entropy", "TheMaximumIsNotSubtracted",
              "__expf(__bfloat162float(x[col]) - most)", "__expf(__bfloat162float(x[col]))"},
      Mistake{"cross_entropy", "SumsInBf16", kValues, kValuesInBf16},
      Mistake{"cross_entropy", "TheTailIsLeftOut", "col < COLS;",
              "col < COLS / THREADS * THREADS;"},
      Mistake{"cross_entropy", "OffByOne", "x[target[blockIdx.x]]",
              "x[target[blockIdx.x] == 0 ? 0 : target[blockIdx.x] - 1]"},
      Mistake{"cross_entropy", "AnotherBase", "__logf(", "log2f("},
      Mistake{"rotary_embedding", "TokensForPositions", "positions[blockIdx.x]",
              "(blockIdx.x % POSITIONS)"},
      Mistake{"rotary_embedding", "NeighboursForPairs",
              "const int at = pair / HALF * 2 * HALF + i;",
              "const int at = pair / HALF * 2 * HALF + i * 2 % HALF;"},
      Mistake{"rotary_embedding", "TheOtherWayRound", "first * cosines[i] - second",
              "first * cosines[i] + second"},
      Mistake{"rotary_embedding", "TheTailIsLeftOut", "pair < HEADS * HALF",
              "pair < HEADS * HALF / 32 * 32"},
      Mistake{"rotary_embedding", "AnglesInBf16", "second * sines[i])",
              "second * __bfloat162float(__float2bfloat16(sines[i])))"},
      Mistake{"transpose", "TheTailIsLeftOut", "top + threadIdx.x < ROWS", "top + TILE <= ROWS"},
      Mistake{"transpose", "NoBarrier", "__syncthreads();", ""},
      Mistake{"transpose", "OffByOne", "= tile[threadIdx.x][i];", "= tile[threadIdx.x][i ^ 1];"},
      Mistake{"transpose", "AnotherColumn", "(left + i) * ROWS", "((left + i) ^ 1) * ROWS"},
      Mistake{"transpose", "NotTransposed", "= tile[threadIdx.x][i];", "= tile[i][threadIdx.x];"},
      Mistake{"add_rmsnorm", "EpsilonIsForgotten", " + epsilon", ""},
      Mistake{"add_rmsnorm", "TheTailIsLeftOut", "col < COLS;", "col < COLS / THREADS * THREADS;"},
      Mistake{"add_rmsnorm", "OffByOne", "weight[col]", "weight[col == 0 ? 0 : col - 1]"},
      Mistake{"add_rmsnorm", "TheNormOfXAlone",
              "const float value = __bfloat162float(h[begin + col]);",
              "const float value = __bfloat162float(x[begin + col]);"},
      Mistake{"add_rmsnorm", "TheSumIsNotStored",
              "h[begin + col] = __float2bfloat16(__bfloat162float(x[begin + col]) +",
              "h[begin + col] = __float2bfloat16(0 * __bfloat162float(x[begin + col]) +"},
      Mistake{"reduce", "SumsInBf16", "float sum = 0;", "__nv_bfloat16 sum = 0;"},
      Mistake{"reduce", "TheTailIsLeftOut", "row < ROWS;", "row < ROWS / 16 * 16;"},
      Mistake{"reduce", "OffByOne", "int i = 1; i < HEIGHT", "int i = 2; i < HEIGHT"},
      Mistake{"reduce", "NoBarrier", "__syncthreads();", ""},
      Mistake{"reduce", "InputsInBf16", "sum += x[row * COLS + col]",
              "sum += __bfloat162float(__float2bfloat16(x[row * COLS + col]))"},
      Mistake{"adamw", "DecayInTheGradient", "+ decay * p[i]);", "); m[i] += decay * p[i];"},
      Mistake{"adamw", "NoCorrection", " / correction2", ""},
      Mistake{"adamw", "EpsilonUnderTheRoot", "sqrtf(v[i] / correction2) + epsilon",
              "sqrtf(v[i] / correction2 + epsilon)"},
      Mistake{"adamw", "TheTailIsLeftOut", "i < N;", "i < N / 32 * 32;"},
      Mistake{"adamw", "AStaleMean", "p[i] -= rate * (m[i]",
              "p[i] -= rate * ((m[i] - (1 - beta1) * gradient) / beta1"},
      Mistake{"flash_attention", "TheMaximumIsNotSubtracted",
              "fmaxf(most[r], max_over_warp(score))", "0"},
      Mistake{"flash_attention", "SumsInBf16",
              "sums[r][i] += ", "sums[r][i] = __bfloat162float(__float2bfloat16(sums[r][i])) + "},
      Mistake{"flash_attention", "TheMaskIsOffByOne", "FIRST_SEES + query)",
              "FIRST_SEES + 1 + query)"},
      Mistake{"flash_attention", "AnotherGroup", "head / GROUP", "head % KV_HEADS"},
      Mistake{"flash_attention", "SumsAreNotScaledDown", "sums[r][i] *= shrink;", ";"},
      Mistake{"gemm", "AIsNotTransposed", "LAYOUT_A == 1", "LAYOUT_A != 0"},
      Mistake{"gemm", "SumsInF16", "float sums", "__half sums"},
      Mistake{"gemm", "TheTailIsLeftOut", "begin < K;", "begin + SIDE <= K;"},
      Mistake{"gemm", "OffByOne", "k * B_ROW", "(k == 0 ? 0 : k - 1) * B_ROW"},
      Mistake{"gemm", "CutOffInsteadOfRounded", "static_cast<TYPE>(sums",
              "__float2bfloat16_rz(sums"},
      Mistake{"gemm_fp8", "AStaleScale", "scale_a[row]", "scale_a[row / SIDE * SIDE]"},
      Mistake{"gemm_fp8", "OneScaleForAllColumns", "scale_b[col]", "scale_b[0]"},
      Mistake{"gemm_fp8", "SumsInF16",
              "sums[i][j] += ", "sums[i][j] = __half2float(__float2half(sums[i][j])) + "},
      Mistake{"gemm_fp8", "TheTailIsLeftOut", "begin < K;", "begin + SIDE <= K;"},
      Mistake{"gemm_fp8", "AnotherFormat", "__nv_fp8_e4m3", "__nv_fp8_e5m2"},
      Mistake{"gemm_int8", "SumsInI16", "int sums", "short sums"},
      Mistake{"gemm_int8", "WeightsWithoutSign", "const signed char* B", "const unsigned char* B"},
      Mistake{"gemm_int8", "TheTailIsLeftOut", "begin < K;", "begin + SIDE <= K;"},
      Mistake{"gemm_int8", "TheWeightsTheOtherWayRound", "B[col * K + k]", "B[k * N + col]"},
      Mistake{"gemm_int8", "ProductsInI8", "a[step][y * ROWS + i] * b[step][x * COLS + j]",
              "static_cast<signed char>(a[step][y * ROWS + i] * b[step][x * COLS + j])"},
      Mistake{"gemm_w4a16", "TheHighBitsFirst",
              "const int low = pair & 15;\n      const int high = pair >> 4;",
              "const int high = pair & 15;\n      const int low = pair >> 4;"},
      Mistake{"gemm_w4a16", "AnotherZero", "high - 8", "high - 7"},
      Mistake{"gemm_w4a16", "AStaleScale", "(col * K + begin) / GROUP",
              "(col * K + (begin < GROUP ? 0 : begin - GROUP)) / GROUP"},
      Mistake{"gemm_w4a16", "SumsInBf16",
              "sums[i][j] += ", "sums[i][j] = __bfloat162float(__float2bfloat16(sums[i][j])) + "},
      Mistake{"gemm_w4a16", "TheTailIsLeftOut", "begin < K;", "begin < K / 256 * 256;"},
      Mistake{"topk", "TheTailIsLeftOut", "col < COLS;", "col < COLS / THREADS * THREADS;"},
      Mistake{"topk", "TheLastOfEqualOnes", "a.col < b.col", "a.col > b.col"},
      Mistake{"topk", "ByMagnitude", "{__bfloat162float(x[col]), col}",
              "{fabsf(__bfloat162float(x[col])), col}"},
      Mistake{"topk", "OffByOne", "half > 0;", "half > 1;"},
      Mistake{"topk", "TheFirstAgainAndAgain", "last = first_of_block(first);",
              "const Entry last = first_of_block(first);"},
      Mistake{"sampling", "TheTailIsLeftOut", "col < COLS;", "col < COLS / THREADS * THREADS;"},
      Mistake{"sampling", "TheTemperatureIsForgotten", " / temperature", ""},
      Mistake{"sampling", "TheLastOfEqualOnes", "a.col < b.col", "a.col > b.col"},
      Mistake{"sampling", "SumsInBf16", "  float sum;", "  __nv_bfloat16 sum;"},
      Mistake{"sampling", "NoiseOfTheFirstRow",
              "noise += static_cast<long long>(blockIdx.x) * COLS;", ""},
      Mistake{"conv2d", "ThePaddingIsForgotten", " - PADDING;", ";"},
      Mistake{"conv2d", "SumsInBf16", "float sums", "__nv_bfloat16 sums"},
      Mistake{"conv2d", "TheTailIsLeftOut", "begin < TERMS;", "begin < TERMS / SIDE * SIDE;"},
      Mistake{"conv2d", "TheKernelIsFlipped", "+ kernel_row - PADDING",
              "+ KERNEL - 1 - kernel_row - PADDING"},
      Mistake{"conv2d", "WeightsOfAnotherLayout",
              "const int in = term % IN;\n  const int kernel_col = term / IN % KERNEL;\n  const "
              "int kernel_row = term / IN / KERNEL;",
              "const int in = term / KERNEL / KERNEL;\n  const int kernel_col = term % KERNEL;\n"
              "  const int kernel_row = term / KERNEL % KERNEL;"},
      Mistake{"fused_mlp", "SumsInBf16", "by_up[i][j] += ",
              "by_up[i][j] = __bfloat162float(__float2bfloat16(by_up[i][j])) + "},
      Mistake{"fused_mlp", "ProductsInBf16", "const float z = by_gate[i][j];",
              "const float z = __bfloat162float(__float2bfloat16(by_gate[i][j]));\n"
              "by_up[i][j] = __bfloat162float(__float2bfloat16(by_up[i][j]));"},
      Mistake{"fused_mlp", "SigmoidForSilu", "z / (1 +", "1 / (1 +"},
      Mistake{"fused_mlp", "TheHalvesAreSwapped", "const float z = by_gate[i][j];",
              "const float z = by_up[i][j];\n      by_up[i][j] = by_gate[i][j];"},
      Mistake{"fused_mlp", "TheTailIsLeftOut", "begin < HIDDEN;", "begin + SIDE <= HIDDEN;"},
      Mistake{"moe_gemm", "SumsInBf16", "float sums", "__nv_bfloat16 sums"},
      Mistake{"moe_gemm", "TheNextExpert", "static_cast<long long>(expert)",
              "static_cast<long long>((expert + 1) % EXPERTS)"},
      Mistake{"moe_gemm", "EqualShares", "int first = offsets[expert];",
              "int first = expert * TOKENS / EXPERTS;"},
      Mistake{"moe_gemm", "TheTailIsLeftOut", "begin < HIDDEN;", "begin + SIDE <= HIDDEN;"},
      Mistake{"moe_gemm", "NotTransposed", "of_w[across][i + down]", "of_w[down][i + across]"},
      Mistake{"scan", "TheTailIsLeftOut",
              "begin < COLS; begin +=", "begin < COLS / THREADS * THREADS; begin +="},
      Mistake{"scan", "WithoutItsOwnElement", "y[col] = sum;", "y[col] = sum - x[col];"},
      Mistake{"scan", "TheSumsBeforeAreForgotten", "const float sum = carry +",
              "const float sum ="},
      Mistake{"scan", "OffByOne", "threadIdx.x >= distance", "threadIdx.x > distance"},
      Mistake{"scan", "CarriesAnF16", "carry = sum;", "carry = __half2float(__float2half(sum));"}};
  return all;
}
INSTANTIATE_TEST_SUITE_P(Each, MistakeIn, testing::ValuesIn(mistakes()), [](const auto& tested) {
  return tested.param.operation + "_" + tested.param.name;
});

}  // namespace
}  // namespace autokernel::test
