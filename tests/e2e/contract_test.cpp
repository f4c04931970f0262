// A kernel's file that breaks the contract is refused before anything runs, and the reason names
// the line to fix.
#include <gmock/gmock.h>

#include <sstream>

#include "e2e/workplace.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsTrue;
using testing::Not;
using testing::ResultOf;
using testing::StartsWith;

const std::filesystem::path kSources = AUTOKERNEL_SOURCES;

constexpr const char* kInclude = "#include <autokernel.cuh>\n";
constexpr const char* kLaunch =
    "AUTOKERNEL_LAUNCH({.kernel = \"axpy\", .grid = {N / 256}, .block = {256}});\n";
constexpr const char* kKernel =
    "extern \"C\" __global__ void axpy(const float* x, float* y) {\n"
    "  const int i = blockIdx.x * 256 + threadIdx.x;\n"
    "  y[i] = 2.5f * x[i] + y[i];\n"
    "}\n";

std::string launching(const std::string& fields) {
  return kInclude + ("AUTOKERNEL_LAUNCH({.kernel = \"axpy\", " + fields + "});\n") + kKernel;
}

// What docs/kernel-contract.md explains: the first cells of the last table in it.
std::vector<std::string> explained_refusals() {
  std::istringstream text(contents(kSources / "docs/kernel-contract.md"));
  std::vector<std::string> phrases;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("| the reason says")) phrases.clear();
    if (line.starts_with("| `")) phrases.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  return phrases;
}

struct Breach {
  std::string name;  // of the test
  std::string source;
  std::string reason;  // its beginning
};

class Contract : public Workplace {
 protected:
  // A bench of tests/data/axpy with this as kernel.cu.
  [[nodiscard]] Outcome bench_source(const std::string& source) const {
    const std::filesystem::path file = scratch_.write("tries/kernel.cu", source);
    return run_autokernel({"bench", "--verbose", "--device", "cpu", "--size", "check", "--case",
                           kSources / "tests/data/axpy", "--kernel", file});
  }
};

class BrokenBy : public Contract, public testing::WithParamInterface<Breach> {};

TEST_P(BrokenBy, IsRefusedBeforeAnythingRuns) {
  const Outcome run = bench_source(GetParam().source);
  EXPECT_EQ(run.code, 12) << run.out << run.err;
  EXPECT_EQ(value_of("verdict", run.out), "does_not_compile");
  EXPECT_THAT(value_of("reason", run.out), StartsWith(GetParam().reason));
  EXPECT_THAT(
      explained_refusals(),
      Contains(ResultOf(
          [&](const std::string& phrase) { return run.out.find(phrase) != std::string::npos; },
          IsTrue())))
      << "docs/kernel-contract.md explains no such refusal: " << value_of("reason", run.out);
  EXPECT_THAT(value_of("next", run.out), Not(IsEmpty()));
  EXPECT_THAT(run.err, HasSubstr("entered phase compile"));
  EXPECT_THAT(run.err, Not(HasSubstr("entered phase check")));
  expect_nothing_left();
}

std::vector<Breach> breaches() {
  const std::string launch = "kernel.cu:2: launch of \"axpy\": ";
  return {
      {"ANameThatIsNotThere",
       std::string(kInclude) + "AUTOKERNEL_LAUNCH({.kernel = \"axpi\"});\n" + kKernel,
       "kernel.cu:2: AUTOKERNEL_LAUNCH names the kernel \"axpi\", but the file has axpy; fix the "
       "name"},
      {"AnInstanceThatNothingMakes",
       std::string(kInclude) + "AUTOKERNEL_LAUNCH({.kernel = \"axpy<256>\"});\n" +
           "template <int N>\n__global__ void axpy(const float* x, float* y) { y[N] = x[N]; }\n",
       "kernel.cu:2: AUTOKERNEL_LAUNCH names \"axpy<256>\", an instance of a template that nothing "
       "in the file makes"},
      {"AFileOfItsOwn", "#include \"body.cuh\"\n" + std::string(kInclude) + kLaunch + kKernel,
       "kernel.cu:1: error: cannot open source file \"body.cuh\""},
      {"HostCode", std::string(kInclude) + kLaunch + kKernel + "int main() { return 0; }\n",
       "kernel.cu:7: error: A function without execution space annotations"},
      {"AMissingDeclaration", std::string(kInclude) + kKernel,
       "kernel.cu:1: it does not say how to launch its kernel axpy; below #include"},
      {"AMissingInclude", std::string(kLaunch) + kKernel, "kernel.cu:1: error: "},
      {"TwoDeclarations", std::string(kInclude) + kLaunch + kLaunch + kKernel,
       "kernel.cu:3: error: "},
      {"ABlockOfTwoThousandThreads", launching(".grid = {2}, .block = {2000}"),
       launch + ".block.x is 2000; it must be from 1 to 1024"},
      {"ABlockOfTwoThousandThreadsInTwoDimensions", launching(".block = {50, 40}"),
       launch + ".block has 50 x 40 x 1 = 2000 threads; a block has at most 1024"},
      {"AGridOfZero", launching(".grid = {N / 8192}, .block = {256}"),
       launch + ".grid.x is 0; it must be from 1 to 2147483647"},
      {"ANegativeGrid", launching(".grid = {16, -1}, .block = {256}"), launch + ".grid.y is -1"},
      {"AGridThatIsNotKnownWhenCompiled",
       std::string(kInclude) +
           "__device__ int blocks;\nAUTOKERNEL_LAUNCH({.kernel = \"axpy\", .grid = {blocks}});\n" +
           kKernel,
       "kernel.cu:3: error: "},
      {"AFieldThatDoesNotExist", launching(".threads = {256}"), "kernel.cu:2: error: "},
      {"SeventeenLaunches",
       std::string(kInclude) + "AUTOKERNEL_LAUNCH({.kernel = \"axpy\"}" +
           []() {
             std::string more;
             for (int i = 1; i < 17; ++i) more += ", {.kernel = \"axpy\"}";
             return more;
           }() +
           ");\n" + kKernel,
       "kernel.cu:2: error: too many initializer values"},
      {"DynamicSharedMemoryOf300KiB",
       launching(".grid = {16}, .block = {256}, .shared_bytes = 300 << 10"),
       launch + ".shared_bytes is 307200; it must be from 0 to 232448"},
      {"StaticSharedMemoryOf300KiB",
       std::string(kInclude) + kLaunch +
           "extern \"C\" __global__ void axpy(const float* x, float* y) {\n"
           "  __shared__ float all[75 << 10];\n"
           "  all[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n  y[0] = all[7];\n}\n",
       "kernel.cu:4: axpy declares 307200 bytes of __shared__ memory; 49152 are the most"},
      {"StaticSharedMemoryOf80KiBWhichTheAssemblerTakes",
       std::string(kInclude) + kLaunch +
           "extern \"C\" __global__ void axpy(const float* x, float* y) {\n"
           "  __shared__ float all[20 << 10];\n"
           "  all[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n  y[0] = all[7];\n}\n",
       "kernel.cu:4: axpy declares 81920 bytes of __shared__ memory; 49152 are the most"},
      {"MoreThreadsThanItsLaunchBounds",
       std::string(kInclude) + kLaunch +
           "extern \"C\" __global__ void __launch_bounds__(128) axpy(const float* x, float* y) {\n"
           "  y[threadIdx.x] = x[threadIdx.x];\n}\n",
       launch + ".block has 256 threads, but __launch_bounds__ of the kernel promises at most 128"},
      {"AWorkspaceThatIsTooLarge",
       std::string(kInclude) + kLaunch + "AUTOKERNEL_WORKSPACE(2LL << 30);\n" + kKernel,
       "kernel.cu:3: the workspace has 2147483648 bytes; it must have from 1 to 1073741824"},
      {"AWorkspaceOfNothing",
       std::string(kInclude) + kLaunch + "AUTOKERNEL_WORKSPACE(0);\n" + kKernel,
       "kernel.cu:3: the workspace has 0 bytes; it must have from 1 to"},
      {"AWorkspaceThatNoParameterTakes",
       std::string(kInclude) + kLaunch + "AUTOKERNEL_WORKSPACE(64);\n" + kKernel,
       "kernel.cu:4: the kernel axpy has 2 parameters and is given 3; it takes a pointer for each "
       "tensor of case.toml, in that order, then one for the workspace: write axpy(const float* x, "
       "float* y, void* workspace)"},
      {"TooFewParameters",
       std::string(kInclude) + kLaunch +
           "\nextern \"C\" __global__ void axpy(float* y) { y[0] = 0; }\n",
       "kernel.cu:4: the kernel axpy has 1 parameter and is given 2; it takes a pointer for each "
       "tensor of case.toml, in that order: write axpy(const float* x, float* y)"},
      {"AParameterThatIsAnInt",
       std::string(kInclude) + kLaunch +
           "extern \"C\" __global__ void axpy(float* y, int n) { y[n] = 0; }\n",
       "kernel.cu:3: the kernel axpy has a parameter 2 (\"int n\") of 4 bytes that is no pointer"},
      {"AParameterOfTwoPointers",
       std::string(kInclude) + kLaunch +
           "struct Two { float* a; float* b; };\n"
           "extern \"C\" __global__ void axpy(float* y, Two two) { y[0] = *two.b; }\n",
       "kernel.cu:4: the kernel axpy has a parameter 2 (\"Two two\") of 16 bytes that is no "
       "pointer"},
      {"AHeap",
       std::string(kInclude) + kLaunch +
           "extern \"C\" __global__ void axpy(const float* x, float* y) {\n"
           "  float* copy = static_cast<float*>(malloc(4));\n  *copy = x[0];\n  y[0] = *copy;\n}\n",
       "kernel.cu:4: it calls malloc, whose memory outlives the launch"},
      {"ACallOfWhatIsNotThere",
       std::string(kInclude) + kLaunch +
           "extern \"C\" __device__ float f(float x);\n"
           "extern \"C\" __global__ void axpy(const float* x, float* y) { y[0] = f(x[0]); }\n",
       "kernel.cu:3: Unresolved extern function 'f'"},
      {"MoreRegistersThanABlockHas",
       std::string(kInclude) +
           "AUTOKERNEL_LAUNCH({.kernel = \"axpy\", .block = {1024}});\n"
           "extern \"C\" __global__ void axpy(const float* x, float* y) {\n"
           "  float a[100];\n  for (int i = 0; i < 100; ++i) a[i] = x[i + threadIdx.x];\n"
           "  __syncthreads();\n  float s = 0;\n"
           "  for (int i = 0; i < 100; ++i) s = s * s + a[99 - i];\n"
           "  for (int i = 0; i < 100; ++i) s = s * a[i] + s;\n  y[threadIdx.x] = s;\n}\n",
       launch + ".block has 1024 threads, and the kernel takes "},
      {"SharedMemoryOfBothKinds",
       std::string(kInclude) +
           "AUTOKERNEL_LAUNCH({.kernel = \"axpy\", .block = {32}, .shared_bytes = 200 << 10});\n"
           "extern \"C\" __global__ void axpy(const float* x, float* y) {\n"
           "  __shared__ float own[10 << 10];\n  extern __shared__ float asked[];\n"
           "  own[threadIdx.x] = x[0];\n  asked[threadIdx.x] = x[1];\n  __syncthreads();\n"
           "  y[0] = own[3] + asked[4];\n}\n",
       launch +
           "the kernel's __shared__ objects have 40960 bytes and .shared_bytes requests 204800"},
  };
}

INSTANTIATE_TEST_SUITE_P(Each, BrokenBy, testing::ValuesIn(breaches()),
                         [](const auto& tested) { return tested.param.name; });

TEST(ContractInTheDocuments, ShowsAKernelThatIsTested) {
  EXPECT_THAT(
      contents(kSources / "docs/kernel-contract.md"),
      HasSubstr("```cpp\n" + contents(kSources / "tests/data/split_k/kernel.cu") + "```\n"));
}

TEST_F(Contract, ThatIsKeptLetsTheKernelRun) {
  const Outcome run = bench_source(std::string(kInclude) + kLaunch + kKernel);
  EXPECT_EQ(run.code, 0) << run.out << run.err;
}

TEST_F(Contract, AllowsAWorkspaceOfAGibibyte) {
  if (!everything_is_wanted()) GTEST_SKIP() << "20 seconds; AUTOKERNEL_TEST_FULL=1 takes them";
  std::string kernel = kKernel;
  kernel.replace(kernel.find("float* y"), 8, "float* y, void*");
  const Outcome run =
      bench_source(std::string(kInclude) + kLaunch + "AUTOKERNEL_WORKSPACE(1LL << 30);\n" + kernel);
  EXPECT_EQ(run.code, 0) << run.out << run.err;
}

}  // namespace
}  // namespace autokernel::test
