// The operations below kernels/: each starting kernel is right at small and at odd sizes, another
// honest style is accepted, and the usual mistakes are refused.
#include <gmock/gmock.h>

#include <array>
#include <fstream>
#include <sstream>

#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;

const fs::path kOperations = AUTOKERNEL_SOURCES "/kernels";
constexpr std::array kAll = {
    "softmax",          "rmsnorm",   "layernorm",   "embedding", "cross_entropy",
    "rotary_embedding", "transpose", "add_rmsnorm", "reduce",    "adamw"};
const fs::path kHonest = AUTOKERNEL_SOURCES "/tests/data/operations";

[[nodiscard]] std::string contents_of(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
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
  const Outcome run = bench_of(operation, size, kOperations / operation / "kernel.cu");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  expect_nothing_left();
}

[[nodiscard]] std::vector<Start> starts() {
  std::vector<Start> all;
  for (const char* operation : kAll) {
    for (const char* size :
         {"check", "tiny", "edge_1", "edge_127", "edge_1023", "edge_1537", "edge_4097"}) {
      all.push_back({operation, size});
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Each, StartingKernelOf, testing::ValuesIn(starts()),
                         [](const auto& tested) {
                           return tested.param.operation + "_" + tested.param.size;
                         });

// One of another kind than the start, in a file of its own.
class HonestStyleOf : public Operations, public testing::WithParamInterface<const char*> {};

TEST_P(HonestStyleOf, IsAccepted) {
  for (const char* size : {"check", "edge_1537"}) {
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

class MistakeIn : public Operations, public testing::WithParamInterface<Mistake> {};

TEST_P(MistakeIn, IsRefused) {
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

INSTANTIATE_TEST_SUITE_P(
    Each, MistakeIn,
    testing::Values(
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
        Mistake{"rmsnorm", "AStaleScale", "const float value = __bfloat162float(x[col]);",
                "const float value = __bfloat162float(x[blockIdx.x == 0 ? col : col - COLS]);"},
        Mistake{"layernorm", "EpsilonIsForgotten", " + epsilon", ""},
        Mistake{"layernorm", "SumsInBf16", kValues, kValuesInBf16},
        Mistake{"layernorm", "TheTailIsLeftOut", "col < COLS;", "col < COLS / THREADS * THREADS;"},
        Mistake{"layernorm", "OffByOne", "bias[col]", "bias[col == 0 ? 0 : col - 1]"},
        Mistake{"layernorm", "TheMeanIsNotSubtracted",
                "const float distance = __bfloat162float(x[col]) - mean;",
                "const float distance = __bfloat162float(x[col]);"},
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
        Mistake{"add_rmsnorm", "TheTailIsLeftOut", "col < COLS;",
                "col < COLS / THREADS * THREADS;"},
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
                "p[i] -= rate * ((m[i] - (1 - beta1) * gradient) / beta1"}),
    [](const auto& tested) { return tested.param.operation + "_" + tested.param.name; });

}  // namespace
}  // namespace autokernel::test
