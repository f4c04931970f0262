// The operations below kernels/: each starting kernel is right at small and at odd sizes, another
// honest style is accepted, and the usual mistakes are refused.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;

const fs::path kOperations = AUTOKERNEL_SOURCES "/kernels";
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
  for (const char* operation : {"softmax", "rmsnorm", "layernorm", "embedding"}) {
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
class HonestStyleOf : public Operations, public testing::WithParamInterface<std::string> {};

TEST_P(HonestStyleOf, IsAccepted) {
  for (const char* size : {"check", "edge_1537"}) {
    const Outcome run = bench_of(GetParam(), size, kHonest / (GetParam() + ".cu"));
    EXPECT_EQ(run.code, 0) << size << "\n" << run.out << run.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, HonestStyleOf,
                         testing::Values("softmax", "rmsnorm", "layernorm", "embedding"),
                         [](const auto& tested) { return tested.param; });

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
  scratch_.write("mistaken.cu", "#include <cuda_fp16.h>\n" + source);
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
        Mistake{
            "embedding", "ByWayOfF16", "y[i] = table[i];",
            "y[i] = __float2bfloat16(__half2float(__float2half(__bfloat162float(table[i]))));"}),
    [](const auto& tested) { return tested.param.operation + "_" + tested.param.name; });

}  // namespace
}  // namespace autokernel::test
