// Cases made of the sample's kernels: measured, edited, damaged, and in the loop.
#include <gmock/gmock.h>

#include <filesystem>
#include <regex>

#include "e2e/program_workplace.h"
#include "e2e/workplace.h"
#include "support/scratch_repository.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class CapturedCaseOfSample : public ExtractionWorkplace {};

constexpr const char* kDecayLaunch =
    R"(.kernel = "decay", .grid = {1}, .block = {512}, .arguments = "inout0, in0, value2, value3")";

// Of `prefix`, which computes each sum 300 times.
constexpr const char* kFastPrefix =
    R"(AUTOKERNEL_LAUNCH({.kernel = "prefix", .grid = {1}, .block = {32}, .arguments = "out0, in0"});
extern "C" __global__ void prefix(int* sums, const int* counts) {
  if (threadIdx.x >= COUNT_out0) return;
  int sum = 0;
  for (int i = 0; i < threadIdx.x; ++i) sum += counts[i];
  sums[threadIdx.x] = sum;
}
)";

TEST_F(CapturedCaseOfSample, AKernelThatDoesTheSameIsCorrect) {
  expect_verdict(bench_with(extracted("decay"), kDecayLaunch,
                            R"(extern "C" __global__ void decay(float* state, const float* update,
                                                                float rate, int count) {
  if (threadIdx.x < count) state[threadIdx.x] = rate * state[threadIdx.x] + update[threadIdx.x];
})"),
                 "correct");
}

TEST_F(CapturedCaseOfSample, AKernelThatLeavesOutTheLastElementIsIncorrect) {
  expect_verdict(bench_with(extracted("decay"), kDecayLaunch,
                            R"(extern "C" __global__ void decay(float* state, const float* update,
                                                                float rate, int count) {
  if (threadIdx.x + 1 >= count) return;
  state[threadIdx.x] = rate * state[threadIdx.x] + update[threadIdx.x];
})"),
                 "incorrect");
}

TEST_F(CapturedCaseOfSample, AKernelThatIsOffByAThousandthIsIncorrect) {
  expect_verdict(bench_with(extracted("decay"), kDecayLaunch,
                            R"(extern "C" __global__ void decay(float* state, const float* update,
                                                                float rate, int count) {
  if (threadIdx.x >= count) return;
  state[threadIdx.x] = rate * state[threadIdx.x] + update[threadIdx.x] + 1e-3f;
})"),
                 "incorrect");
}

TEST_F(CapturedCaseOfSample, AKernelThatChangesWhatIsOnlyReadIsIncorrect) {
  expect_verdict(bench_with(extracted("decay"), kDecayLaunch,
                            R"(extern "C" __global__ void decay(float* state, float* update,
                                                                float rate, int count) {
  if (threadIdx.x >= count) return;
  state[threadIdx.x] = rate * state[threadIdx.x] + update[threadIdx.x];
  update[threadIdx.x] = 0;
})"),
                 "incorrect");
}

TEST_F(CapturedCaseOfSample, ASumInAnotherOrderIsCorrect) {
  expect_verdict(
      bench_with(extracted("row_sums"),
                 R"(.kernel = "sums", .grid = {6}, .block = {1}, .arguments = "out0, in0, value2")",
                 R"(extern "C" __global__ void sums(float* sums, const float* in, int columns) {
  float sum = 0;
  for (int i = 0; i < columns; ++i) sum += in[blockIdx.x * columns + i];
  sums[blockIdx.x] = sum;
})"),
      "correct");
}

TEST_F(CapturedCaseOfSample, ASumWithoutItsLastElementIsIncorrect) {
  expect_verdict(
      bench_with(extracted("row_sums"),
                 R"(.kernel = "sums", .grid = {6}, .block = {1}, .arguments = "out0, in0, value2")",
                 R"(extern "C" __global__ void sums(float* sums, const float* in, int columns) {
  float sum = 0;
  for (int i = 0; i + 1 < columns; ++i) sum += in[blockIdx.x * columns + i];
  sums[blockIdx.x] = sum;
})"),
      "incorrect");
}

TEST_F(CapturedCaseOfSample, AKernelThatTakesAStructByValueIsCorrect) {
  expect_verdict(
      bench_with(
          extracted("add_scaled"),
          R"(.kernel = "add", .grid = {1}, .block = {512}, .arguments = "value0")",
          R"(struct Operands { float* out; const float* a; const float* b; float alpha; int count; };
extern "C" __global__ void add(const __grid_constant__ autokernel::Bytes<32> value0) {
  const Operands& with = reinterpret_cast<const Operands&>(value0);
  const int i = threadIdx.x;
  if (i < with.count) with.out[i] = with.a[i] + with.alpha * with.b[i];
})"),
      "correct");
}

TEST_F(CapturedCaseOfSample, AKernelThatTakesTensorsInPlaceOfTheStructIsCorrect) {
  expect_verdict(
      bench_with(extracted("add_scaled"),
                 R"(.kernel = "add", .grid = {1}, .block = {512}, .arguments = "out0, in0, in1")",
                 R"(extern "C" __global__ void add(float* out, const float* a, const float* b) {
  const int i = threadIdx.x;
  if (i < COUNT_out0) out[i] = a[i] + 0.25f * b[i];
})"),
      "correct");
}

TEST_F(CapturedCaseOfSample, AKernelThatGathersTheWrongRowIsIncorrect) {
  const Words rows = {
      R"(.kernel = "rows", .grid = {6}, .block = {64}, .arguments = "out0, in0, in1, value3")"};
  expect_verdict(bench_with(extracted("gather", {"--captures", "1"}), rows[0],
                            R"(extern "C" __global__ void rows(float* out, const float* table,
                                                               const int* rows, int columns) {
  const int row = blockIdx.x == 5 ? rows[4] : rows[blockIdx.x];
  if (threadIdx.x < columns) out[blockIdx.x * columns + threadIdx.x] = table[row * columns + threadIdx.x];
})"),
                 "incorrect");
}

TEST_F(CapturedCaseOfSample, AHistogramInAnotherWayIsCorrect) {
  expect_verdict(
      bench_with(extracted("histogram"),
                 R"(.kernel = "count", .grid = {1}, .block = {16},
                               .arguments = "inout0, in0, value2")",
                 R"(extern "C" __global__ void count(int* counts, const int* values, int count) {
  int here = 0;
  for (int i = 0; i < count; ++i) here += values[i] == threadIdx.x ? 1 : 0;
  counts[threadIdx.x] += here;
})"),
      "correct");
}

TEST_F(CapturedCaseOfSample, AHistogramWithoutItsLastValueIsIncorrect) {
  expect_verdict(
      bench_with(extracted("histogram"),
                 R"(.kernel = "count", .grid = {1}, .block = {16},
                               .arguments = "inout0, in0, value2")",
                 R"(extern "C" __global__ void count(int* counts, const int* values, int count) {
  int here = 0;
  for (int i = 0; i + 1 < count; ++i) here += values[i] == threadIdx.x ? 1 : 0;
  counts[threadIdx.x] += here;
})"),
      "incorrect");
}

// The captured kernel's line left out, and the comment below it taken as code.
TEST_F(CapturedCaseOfSample, TheKernelThatTheFileProposesCompiles) {
  const fs::path folder = extracted("add_scaled");
  std::string source = contents(folder / "kernel.cu");
  const std::size_t line = source.find("AUTOKERNEL_ORIGINAL;\n");
  ASSERT_NE(line, std::string::npos);
  source = "#include <autokernel.cuh>\n" + source.substr(source.find('\n', line));
  scratch_.write(folder / "kernel.cu", std::regex_replace(source, std::regex("\n// ?"), "\n"));
  expect_verdict(bench(folder), "incorrect");
}

TEST_F(CapturedCaseOfSample, TheCapturedKernelStandsForItselfOnlyAlone) {
  const fs::path folder = extracted("decay");
  scratch_.write(folder / "kernel.cu", contents(folder / "kernel.cu") + "int more;\n");
  expect_verdict(bench(folder), "does_not_compile");
}

TEST_F(CapturedCaseOfSample, PassesItsChecks) {
  const Outcome checked =
      run(autokernel({"case", "check", extracted("row_sums").string(), "--device", "cpu"}));
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
}

TEST_F(CapturedCaseOfSample, AFasterKernelIsFasterThanTheCapturedOne) {
  const fs::path folder = extracted("prefix");
  scratch_.write("work/faster.cu", std::string("#include <autokernel.cuh>\n") + kFastPrefix);
  const Outcome compared =
      run(autokernel({"bench", "--device", "cpu", "--case", folder.string(), "--kernel",
                      "faster.cu", "--against", (folder / "kernel.cu").string()}));
  EXPECT_EQ(value_of("verdict", compared.out), "faster") << compared.out << compared.err;
}

TEST_F(CapturedCaseOfSample, RefusesValuesThatAreNotAsTheyWereCaptured) {
  const fs::path folder = extracted("decay");
  std::string values = contents(folder / "capture" / "in0.bin");
  values[7] = static_cast<char>(values[7] ^ 1);
  scratch_.write(folder / "capture" / "in0.bin", values);
  expect_early_refusal(bench(folder), 2, "in0.bin");
}

TEST_F(CapturedCaseOfSample, RefusesACaseWithoutItsValues) {
  const fs::path folder = extracted("decay");
  fs::remove(folder / "capture" / "in0.bin");
  expect_early_refusal(bench(folder), 2, "in0.bin");
}

TEST_F(CapturedCaseOfSample, RefusesACaseWithoutItsCode) {
  const fs::path folder = extracted("decay");
  fs::remove(folder / "capture" / "original.ptx");
  expect_early_refusal(bench(folder), 2, "original.ptx");
}

TEST_F(CapturedCaseOfSample, RefusesCodeThatIsNotAsItWasCaptured) {
  const fs::path folder = extracted("decay");
  scratch_.write(folder / "capture" / "original.ptx",
                 contents(folder / "capture" / "original.ptx") + "// more\n");
  expect_early_refusal(bench(folder), 2, "original.ptx");
}

// The loop on a captured case, in a repository of its own.
class LoopOnCapturedCase : public ProgramWorkplace {
 protected:
  LoopOnCapturedCase() {
    EXPECT_EQ(run_here("profile", {}, sample()).code, 0);
    for (const char* kernel : {"decay", "prefix"}) {
      EXPECT_EQ(run_here("extract", {"--kernel", kernel}, sample()).code, 0);
    }
    repository_.commit("a case");
  }
  [[nodiscard]] Outcome run_here(const std::string& subcommand, const Words& options,
                                 const Words& command) const {
    return run(here(on_program(subcommand, options, command)));
  }
  [[nodiscard]] Invocation here(Invocation invocation) const {
    invocation.directory = repository_.root();
    for (const auto& [name, value] : repository_.environment()) {
      invocation.environment[name] = value;
    }
    return invocation;
  }
  [[nodiscard]] Outcome start(const std::string& folder = "cases/decay") const {
    return run(here(autokernel({"loop", "start", "demo", "--device", "cpu", "--case", folder})));
  }
  // With a body that is run so many times over.
  [[nodiscard]] Outcome step(int rounds, const std::string& sum) const {
    repository_.write("cases/decay/kernel.cu",
                      std::string("#include <autokernel.cuh>\n\nAUTOKERNEL_LAUNCH({") +
                          kDecayLaunch +
                          R"(});

extern "C" __global__ void decay(volatile float* state, const volatile float* update, float rate,
                                 int count) {
  if (threadIdx.x >= count) return;
  float sum = 0;
  for (int i = 0; i < )" + std::to_string(rounds) +
                          "; ++i) sum = " + sum + ";\n  state[threadIdx.x] = sum;\n}\n");
    return run(here(autokernel({"loop", "step", "-m", "another kernel"})));
  }

  static constexpr const char* kRight = "rate * state[threadIdx.x] + update[threadIdx.x]";
  ScratchRepository repository_;
};

TEST_F(LoopOnCapturedCase, BeginsWithTheCapturedKernel) {
  const Outcome started = start();
  EXPECT_EQ(started.code, 0) << started.out << started.err;
  EXPECT_EQ(value_of("verdict", started.out), "baseline");
  EXPECT_THAT(repository_.read("results.tsv"), HasSubstr("\tkeep\tbaseline\n"));
  EXPECT_THAT(repository_.git("show", "refs/autokernel/demo/0:cases/decay/kernel.cu"),
              HasSubstr("\nAUTOKERNEL_ORIGINAL;\n"));
}

TEST_F(LoopOnCapturedCase, KeepsCodeAndValuesOutOfItsCommits) {
  EXPECT_EQ(start().code, 0);
  EXPECT_THAT(repository_.git("ls-tree", "-r", "--name-only", "refs/autokernel/demo/0"),
              Not(HasSubstr("capture/")));
}

TEST_F(LoopOnCapturedCase, TakesASlowerKernelBack) {
  EXPECT_EQ(start().code, 0);
  const Outcome slower = step(3000, kRight);
  EXPECT_EQ(value_of("verdict", slower.out), "not faster") << slower.out << slower.err;
  EXPECT_THAT(repository_.read("cases/decay/kernel.cu"), HasSubstr("\nAUTOKERNEL_ORIGINAL;\n"));
}

TEST_F(LoopOnCapturedCase, KeepsAKernelThatIsClearlyFaster) {
  EXPECT_EQ(start("cases/prefix").code, 0);
  repository_.write("cases/prefix/kernel.cu",
                    std::string("#include <autokernel.cuh>\n") + kFastPrefix);
  const Outcome faster = run(here(autokernel({"loop", "step", "-m", "each sum once"})));
  EXPECT_EQ(value_of("verdict", faster.out), "kept") << faster.out << faster.err;
}

TEST_F(LoopOnCapturedCase, TakesAWrongKernelBack) {
  EXPECT_EQ(start().code, 0);
  const Outcome wrong = step(1, "rate * state[threadIdx.x] + update[threadIdx.x] + 1e-3f");
  EXPECT_EQ(value_of("verdict", wrong.out), "incorrect") << wrong.out << wrong.err;
  EXPECT_THAT(repository_.read("cases/decay/kernel.cu"), HasSubstr("\nAUTOKERNEL_ORIGINAL;\n"));
}

}  // namespace
}  // namespace autokernel::test
