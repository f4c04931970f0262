// Whole trials on the emulated device, with real kernels on small sizes.
#include "autokernel/trial/runner.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/cases/case.h"
#include "support/present.h"
#include "support/scratch_folder.h"
#include "trial/time/device_lock.h"

namespace autokernel::trial {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

constexpr const char* kMatMulCase = R"toml(
name = "MatMul"
problem = "MatMul [{M},{K}] x [{K},{N}] bfloat16"
[sizes.default]
M = 96
N = 64
K = 128
[sizes.check]
M = 32
N = 64
K = 64
[[tensor]]
name = "A"
role = "in"
dtype = "bf16"
shape = ["M", "K"]
fill = "normal"
[[tensor]]
name = "B"
role = "in"
dtype = "bf16"
shape = ["K", "N"]
fill = "normal"
[[tensor]]
name = "C"
role = "out"
dtype = "bf16"
shape = ["M", "N"]
[reference]
kind = "cublas_gemm"
left = "A"
right = "B"
output = "C"
[check]
absolute = 1e-2
relative = 1e-2
exact = "sum-of-products"
sum_over = "K"
deterministic = false
[cost]
flops = "2*M*N*K"
bytes = "2*(M*K + K*N + M*N)"
[timing]
samples = 6
)toml";

constexpr const char* kHead = R"cu(
#include <autokernel.cuh>
#include <cuda_bf16.h>
)cu";
constexpr const char* kLaunch = R"cu(
AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});
)cu";

// A kernel with one thread per element, which has `col`, `row` and the right `sum`; `store` is what
// it does with it.
std::string matmul(const std::string& store, const std::string& globals = "",
                   const std::string& launch = kLaunch, const std::string& more_parameters = "") {
  return std::string(kHead) + launch + globals +
         "\nextern \"C\" __global__ void matmul(__nv_bfloat16* A, const __nv_bfloat16* B, "
         "__nv_bfloat16* C" +
         more_parameters + R"cu() {
  const int col = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
)cu" + store +
         "\n}\n";
}

constexpr const char* kStore = "C[row * N + col] = __float2bfloat16(sum);";

class MatMulTrial : public ::testing::Test {
 protected:
  MatMulTrial() {
    static_cast<void>(folder_.write("case.toml", kMatMulCase));
    // Tests that run at the same time would otherwise wait for each other's device.
    ::setenv("XDG_CACHE_HOME", folder_.folder("cache").c_str(), 1);
  }

  Request request(const std::string& source) {
    Request request;
    request.case_directory = folder_.path();
    request.case_files = cases::read_files(folder_.path()).bytes;
    request.kernel_file = folder_.path() / "kernel.cu";
    request.source = source;
    request.device = parse_device("cpu");
    return request;
  }

  Result trial(const std::string& source) {
    return run_trial(request(source), [](Phase) {});
  }

  test::ScratchFolder folder_;
};

TEST_F(MatMulTrial, AnHonestKernelIsCorrectAndMeasured) {
  const Result result = trial(matmul(kStore));

  EXPECT_EQ(result.verdict, Verdict::correct) << result.reason;
  EXPECT_EQ(result.reason, "");
  EXPECT_EQ(test::present(result.times).samples_us.size(), 6U);
  EXPECT_GT(test::present(result.times).median_us, 0);
  EXPECT_EQ(test::present(result.reference).samples_us.size(), 3U) << "beside every second launch";
  EXPECT_EQ(result.problem, "MatMul [96,128] x [128,64] bfloat16");
  EXPECT_EQ(result.flops, 2.0 * 96 * 64 * 128);
  EXPECT_EQ(result.samples_wanted, 6);
  EXPECT_GT(result.bench_seconds, 0);
}

TEST_F(MatMulTrial, SaysWhatItRanOn) {
  const Result result = trial(matmul(kStore));

  EXPECT_TRUE(test::present(result.device).emulated);
  EXPECT_EQ(test::present(result.device).major, 9);
  EXPECT_THAT(test::present(result.device).name, HasSubstr("CPU, emulated CUDA driver"));
  EXPECT_THAT(result.versions.at("reference"), HasSubstr("OpenBLAS"));
  EXPECT_TRUE(result.versions.contains("nvrtc"));
  EXPECT_TRUE(result.versions.contains("driver"));
  EXPECT_GT(test::present(result.resources).registers, 0U);
}

TEST_F(MatMulTrial, HasNoFigureThatOnlyAGpuHas) {
  const Result result = trial(matmul(kStore));

  EXPECT_FALSE(result.peak_tflops.has_value());
  EXPECT_FALSE(result.peak_gbytes_s.has_value());
  EXPECT_FALSE(result.warm_us.has_value());
  EXPECT_FALSE(result.event_floor_us.has_value());
}

TEST_F(MatMulTrial, EntersEachPhaseInOrderAndLeavesTheCandidateForItsJudging) {
  std::vector<Phase> entered;
  const Result result =
      run_trial(request(matmul(kStore)), [&](Phase phase) { entered.push_back(phase); });

  EXPECT_THAT(entered, ElementsAre(Phase::start, Phase::compile, Phase::harness, Phase::check,
                                   Phase::harness, Phase::time, Phase::harness, Phase::time,
                                   Phase::harness));
  EXPECT_EQ(result.phase_seconds.size(), 4U);
}

TEST_F(MatMulTrial, DrawsAKeyOfItsOwnForEveryTimedLaunch) {
  const Result result = trial(matmul(kStore));

  std::set<std::string> different;
  for (const LaunchKey& key : result.keys) different.insert(key.key);
  EXPECT_EQ(different.size(), result.keys.size());
  EXPECT_GE(result.keys.size(), 6U);
}

TEST_F(MatMulTrial, IsTheArchitectureItIsAskedToBe) {
  Request asked = request(matmul(kStore));
  asked.architecture = "sm_80";
  const Result result = run_trial(asked, [](Phase) {});

  EXPECT_EQ(result.verdict, Verdict::correct) << result.reason;
  EXPECT_EQ(test::present(result.device).major, 8);
  EXPECT_EQ(test::present(result.device).minor, 0);
}

// Each thread's sum, `times` times over.
std::string slower_matmul(int times) {
  return matmul("for (int again = 1; again < " + std::to_string(times) +
                R"cu(; ++again) {
    asm volatile("" : "+f"(sum));
    float other = 0.0f;
    for (int k = 0; k < K; ++k) other += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
    asm volatile("" :: "f"(other));
  }
)cu" + kStore);
}

TEST_F(MatMulTrial, AgainstASlowerKernelIsFaster) {
  Request asked = request(matmul(kStore));
  asked.incumbent = {.name = "the slow one", .source = slower_matmul(4), .min_gain = 0.1};
  const Result result = run_trial(asked, [](Phase) {});

  EXPECT_EQ(result.verdict, Verdict::correct) << result.reason;
  const PairedComparison& comparison = test::present(result.comparison);
  EXPECT_EQ(comparison.outcome, Outcome::faster) << comparison.reason;
  EXPECT_GT(comparison.gain, 0.2);
  EXPECT_LT(comparison.gain_low, comparison.gain);
  EXPECT_GE(comparison.incumbent_times.samples_us.size(), 50U);
  EXPECT_EQ(comparison.incumbent_times.samples_us.size(),
            test::present(result.times).samples_us.size());
  EXPECT_EQ(test::present(result.reference).samples_us.size(), 3U) << "beside every second launch";
  EXPECT_THAT(comparison.reason, HasSubstr("the slow one"));
}

TEST_F(MatMulTrial, AGainIsMeasuredAgainInFiveProcesses) {
  Request asked = request(matmul(kStore));
  asked.incumbent = {.name = "the slow one", .source = slower_matmul(8), .min_gain = 0.1};
  asked.incumbent->is_confirmed = true;
  std::vector<Phase> entered;
  std::vector<Outcome> told;
  const Result result = run_trial(
      asked, [&](Phase phase) { entered.push_back(phase); },
      [&](const Result& known) {
        if (known.comparison) told.push_back(known.comparison->outcome);
      });

  // While they get ready, and as each of them is measured.
  EXPECT_EQ(std::ranges::count(entered, Phase::confirm), 1 + 5);
  EXPECT_THAT(told, ElementsAre(Outcome::faster)) << "before the first of them";
  EXPECT_GT(test::present(test::present(result.comparison).confirmed_gain), 0.2);
  // Those of the trial itself.
  EXPECT_EQ(test::present(result.comparison).incumbent_times.samples_us.size(),
            test::present(result.times).samples_us.size());
}

TEST_F(MatMulTrial, AGainIsNotMeasuredAgainWhereNobodyAsks) {
  Request asked = request(matmul(kStore));
  asked.incumbent = {.name = "the slow one", .source = slower_matmul(8), .min_gain = 0.1};
  const Result result = run_trial(asked, [](Phase) {});
  EXPECT_FALSE(test::present(result.comparison).confirmed_gain.has_value());
}

TEST_F(MatMulTrial, AKernelThatIsAsFastIsMeasuredAgainWhereThatWouldDo) {
  Request asked = request(matmul(kStore));
  // Ten times as slow would count as slower: so much noise there is not.
  asked.incumbent = {.name = "the same", .source = matmul(kStore), .min_gain = 0.9};
  asked.incumbent->is_confirmed = true;
  asked.incumbent->as_fast_will_do = true;
  PairedComparison comparison;
  // Of equal kernels one in a hundred is refused for slow launches that fell to it by chance, and
  // on a busy machine some more.
  for (int trial = 0; trial < 4 && !comparison.as_fast; ++trial) {
    comparison = test::present(run_trial(asked, [](Phase) {}).comparison);
  }
  EXPECT_TRUE(comparison.as_fast) << comparison.reason;
  EXPECT_TRUE(comparison.confirmed_gain.has_value());
}

TEST_F(MatMulTrial, AgainstAFasterKernelIsNotFaster) {
  Request asked = request(slower_matmul(4));
  asked.incumbent = {.name = "the quick one", .source = matmul(kStore), .min_gain = 0.1};
  const Result result = run_trial(asked, [](Phase) {});

  EXPECT_EQ(result.verdict, Verdict::correct) << result.reason;
  EXPECT_EQ(test::present(result.comparison).outcome, Outcome::not_faster)
      << test::present(result.comparison).reason;
  EXPECT_FALSE(test::present(result.comparison).as_fast);
}

// The noise of the device at hand, by which a gain of 2.8 % takes that long to look like one, and
// which finds gains from `detectable_gain` on.
DeviceNoise noise_here(const Result& known, double seconds, double detectable_gain) {
  const DeviceNoise noise{.device = test::present(known.device).name,
                          .driver_version = known.versions.at("driver"),
                          .pair_error = 0.05,
                          .pair_seconds = 1,
                          .detectable_gain = detectable_gain};
  DeviceNoise scaled = noise;
  scaled.pair_seconds = seconds / test::present(seconds_to_look_faster(
                                      noise, 0.02, std::numeric_limits<double>::max()));
  return scaled;
}

TEST_F(MatMulTrial, AComparisonHasTheTimeThatTheNoiseOfItsDeviceAsksFor) {
  Request asked = request(matmul(kStore));
  const Result known = run_trial(asked, [](Phase) {});
  asked.incumbent = {.name = "itself", .source = matmul(kStore), .min_gain = 0.02};
  DeviceNoise other = noise_here(known, 4, 0.01);
  other.driver_version = "another";
  asked.noise = {other, noise_here(known, 2.5, 0.01)};
  EXPECT_NEAR(run_trial(asked, [](Phase) {}).cap_seconds, 2.5, 1e-9);
  // Where even the longest time would not do, none is spent on it.
  asked.noise = {noise_here(known, 30, 0.01)};
  EXPECT_EQ(run_trial(asked, [](Phase) {}).cap_seconds, 1.5);
  asked.noise = {noise_here(known, 0.1, 0.01)};
  EXPECT_EQ(run_trial(asked, [](Phase) {}).cap_seconds, 1.5);
}

TEST_F(MatMulTrial, WarnsBeforehandOfAMinGainThatCannotBeToldHere) {
  Request asked = request(matmul(kStore));
  const Result known = run_trial(asked, [](Phase) {});
  asked.incumbent = {.name = "itself", .source = matmul(kStore), .min_gain = 0.02};
  asked.noise = {noise_here(known, 2, 0.1)};
  Result outline;
  const Result result =
      run_trial(asked, [](Phase) {}, [&](const Result& learned) { outline = learned; });
  EXPECT_THAT(outline.warnings, ElementsAre(HasSubstr("2 % is mostly too small")));
  EXPECT_THAT(result.warnings, Contains(HasSubstr("2 % is mostly too small")));
}

// So that a machine's noise can be measured by more pairs than decide.
TEST_F(MatMulTrial, ARecordingTakesPairsForTheTimeOfTheRequestWhateverTheySay) {
  Request asked = request(matmul(kStore));
  asked.incumbent = {.name = "the slow one", .source = slower_matmul(4), .min_gain = 0.1};
  asked.recording_seconds = 3;
  const Result result = run_trial(asked, [](Phase) {});
  EXPECT_GE(result.bench_seconds, 3);
  EXPECT_EQ(test::present(result.times).samples_us.size(),
            test::present(result.comparison).incumbent_times.samples_us.size());
}

TEST_F(MatMulTrial, AWrongKernelIsComparedWithNothing) {
  Request asked = request(matmul("C[row * N + col] = __float2bfloat16(sum + 1.0f);"));
  asked.incumbent = {.name = "the right one", .source = matmul(kStore), .min_gain = 0.1};
  const Result result = run_trial(asked, [](Phase) {});

  EXPECT_EQ(result.verdict, Verdict::incorrect);
  EXPECT_FALSE(result.comparison.has_value());
}

TEST_F(MatMulTrial, AnIncumbentThatDoesNotCompileIsAUsageError) {
  Request asked = request(matmul(kStore));
  asked.incumbent = {.name = "last week's", .source = "nonsense", .min_gain = {}};
  EXPECT_THAT([&] { static_cast<void>(run_trial(asked, [](Phase) {})); },
              ThrowsMessage<Error>(AllOf(HasSubstr("last week's"), HasSubstr("does not compile"))));
}

TEST_F(MatMulTrial, AnIncumbentThatDoesNotRunIsAUsageError) {
  Request asked = request(matmul(kStore));
  asked.incumbent = {.name = "last week's", .source = matmul("C[1 << 30] = sum;"), .min_gain = {}};
  EXPECT_THAT([&] { static_cast<void>(run_trial(asked, [](Phase) {})); },
              ThrowsMessage<Error>(AllOf(HasSubstr("last week's"), HasSubstr("does not run"))));
}

TEST_F(MatMulTrial, IsRefusedOnADeviceWhoseTimesCannotBeCompared) {
  Request asked = request(matmul(kStore));
  asked.known_device = {.name = "NVIDIA H200", .driver_version = "13.0"};
  EXPECT_THAT(
      [&] { static_cast<void>(run_trial(asked, [](Phase) {})); },
      ThrowsMessage<Error>(AllOf(HasSubstr("NVIDIA H200"), HasSubstr("cannot be compared"))));
}

TEST_F(MatMulTrial, IsTimedWithoutChecksWhereItHasPassedThem) {
  Request asked = request(matmul(kStore));
  asked.checked = false;
  asked.samples = 3;
  const Result result = run_trial(asked, [](Phase) {});

  EXPECT_EQ(result.verdict, Verdict::correct) << result.reason;
  EXPECT_EQ(test::present(result.times).samples_us.size(), 3U);
  for (const LaunchKey& key : result.keys) EXPECT_THAT(key.launch, Not(HasSubstr("check")));
}

TEST_F(MatMulTrial, IsComparedInItsTimedLaunchesAlsoWithoutChecks) {
  Request asked = request(matmul("C[row * N + col] = __float2bfloat16(sum + 1.0f);"));
  asked.checked = false;
  EXPECT_EQ(run_trial(asked, [](Phase) {}).verdict, Verdict::incorrect);
}

TEST_F(MatMulTrial, WaitsForAnotherTrialOnItsDevice) {
  std::vector<Phase> entered;
  driver::DeviceInfo emulated;
  emulated.emulated = true;
  std::optional<FileLock> other = lock_device(emulated, [] {});
  ASSERT_TRUE(other.has_value());
  static_cast<void>(run_trial(request(matmul(kStore)), [&](Phase phase) {
    entered.push_back(phase);
    if (phase == Phase::queue) {
      std::thread([&] { other.reset(); }).detach();
    }
  }));
  ASSERT_GT(entered.size(), 2U);
  EXPECT_EQ(entered[1], Phase::queue);
  EXPECT_EQ(entered[2], Phase::compile);
}

// What is wrong, and the words of the verdict that say so.
struct Wrong {
  std::string name;
  std::string source;
  Verdict verdict;
  std::string reason;

  friend void PrintTo(const Wrong& wrong, std::ostream* to) { *to << wrong.name; }
};
class WrongKernel : public MatMulTrial, public ::testing::WithParamInterface<Wrong> {};

TEST_P(WrongKernel, GetsItsVerdictAndAReasonAndNoTimes) {
  const Result result = trial(GetParam().source);

  EXPECT_EQ(result.verdict, GetParam().verdict) << result.reason;
  EXPECT_THAT(result.reason, HasSubstr(GetParam().reason));
  EXPECT_FALSE(result.times.has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Each, WrongKernel,
    ::testing::Values(
        Wrong{"SyntaxError", matmul("oops"), Verdict::does_not_compile, "kernel.cu:"},
        Wrong{"WritesNothing", matmul(""), Verdict::incorrect, "C[0,"},
        Wrong{"OneElement",
              matmul("C[row * N + col] = __float2bfloat16(row == 3 && col == 17 ? sum + 1 : sum);"),
              Verdict::incorrect, "1 of 2048 elements differ"},
        Wrong{"AddsToWhatWasThere",
              matmul(
                  "C[row * N + col] = __float2bfloat16(sum + __bfloat162float(C[row * N + col]));"),
              Verdict::incorrect, "C[0,"},
        Wrong{"RightOnPositiveSumsOnly",
              matmul("C[row * N + col] = __float2bfloat16(fmaxf(sum, 0.0f));"), Verdict::incorrect,
              "exact inputs"},
        Wrong{"SkipsTheLastOfTheSum",
              matmul("sum -= __bfloat162float(A[row * K + K - 1]) * __bfloat162float(B[(K - 1) * N "
                     "+ col]);" +
                     std::string(kStore)),
              Verdict::incorrect, "exact inputs"},
        Wrong{"SumsInBf16",
              matmul("__nv_bfloat16 s = __float2bfloat16(0.0f); for (int k = 0; k < K; ++k) s = "
                     "__float2bfloat16("
                     "__bfloat162float(s) + __bfloat162float(A[row * K + k]) * "
                     "__bfloat162float(B[k * N + col]));"
                     "C[row * N + col] = s;"),
              Verdict::incorrect, "exact inputs"},
        Wrong{"ChangesAnInput",
              matmul(std::string(kStore) +
                     " if (row == 1 && col == 2) A[5] = __float2bfloat16(1e9f);"),
              Verdict::incorrect, "it changed its input A"},
        Wrong{"WritesOutOfBounds",
              matmul(std::string(kStore) +
                     " if (row == M - 1 && col == N - 1) C[M * N + 64] = A[0];"),
              Verdict::crashed, "CUDA_ERROR_ILLEGAL_ADDRESS, 700"},
        Wrong{"Traps", matmul(std::string(kStore) + " if (row == 5) __trap();"), Verdict::crashed,
              "CUDA_ERROR_LAUNCH_FAILED, 719"},
        Wrong{
            "AsksForMoreSharedMemoryThanThereIs",
            matmul("__shared__ float tile[10000]; tile[threadIdx.x] = sum; " + std::string(kStore) +
                       " C[0] = __float2bfloat16(tile[N - 1 - threadIdx.x]);",
                   "",
                   "AUTOKERNEL_LAUNCH({.kernel = \"matmul\", .grid = {N / 32, M / 8}, .block = "
                   "{32, 8}, "
                   ".shared_bytes = 220000});"),
            Verdict::does_not_compile, "a block of sm_90 has at most 232448 in all"},
        Wrong{"WrongAtTheTimedSizeOnly",
              matmul("C[row * N + col] = __float2bfloat16(M == 96 && row == 95 ? 0.0f : sum);"),
              Verdict::incorrect, "C[95,"}),
    [](const auto& tested) { return tested.param.name; });

TEST_F(MatMulTrial, ModuleObjectsHoldTheirInitialBytesAtEveryLaunch) {
  const Result result = trial(
      matmul("C[row * N + col] = __float2bfloat16(sum * one[row % 2] + offset[col % 64]);"
             "later[row % 8] = sum;",
             "__device__ float one[2] = {1.0f, 1.0f}; __device__ float offset[64];"
             "__device__ float later[8];"
             "extern \"C\" __global__ void spoil(__nv_bfloat16* A, const __nv_bfloat16* B, "
             "__nv_bfloat16* C) { one[threadIdx.x] = 2.0f; offset[threadIdx.x] = 5.0f; }",
             "AUTOKERNEL_LAUNCH({.kernel = \"matmul\", .grid = {N / 32, M / 8}, .block = {32, 8}},"
             "{.kernel = \"spoil\", .grid = {1}, .block = {2}});"));

  EXPECT_EQ(result.verdict, Verdict::correct) << result.reason;
}

// A launch that is the first to change an object is repeated, and this kernel changes one whenever
// it is slow, in three launches of four.
TEST_F(MatMulTrial, AKernelDoesNotRidItselfOfItsSlowLaunches) {
  std::string objects;
  std::string cases;
  for (int i = 0; i < 64; ++i) {
    objects += fmt::format("__device__ int object{};", i);
    cases += fmt::format("case {0}: object{0} = 1; break;", i);
  }
  const Result result =
      trial(matmul(std::string(kStore) +
                       "const unsigned hash = __bfloat16_as_ushort(A[0]) * 2654435761u;"
                       "if (row == 0 && col == 0 && hash >> 30 != 0) {"
                       "  unsigned long long now, until;"
                       "  asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(until));"
                       "  until += 50000000;"
                       "  do { asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(now)); }"
                       "  while (now < until);"
                       "  switch (hash >> 8 & 63) {" +
                       cases + "} }",
                   objects));
  EXPECT_EQ(result.verdict, Verdict::correct) << result.reason;
  EXPECT_GT(test::present(result.times).p95_us, 50000);
}

TEST_F(MatMulTrial, AWorkspaceHoldsRandomBits) {
  const Result result =
      trial(matmul("C[row * N + col] = __float2bfloat16(sum + workspace[row * N + col]);",
                   "AUTOKERNEL_WORKSPACE(M * N * 4);", kLaunch, ", float* workspace"));

  EXPECT_EQ(result.verdict, Verdict::incorrect);
}

// To know the answer from the launch before would pay.
TEST_F(MatMulTrial, ALaunchFindsNothingOfTheOneBefore) {
  const Result result =
      trial(matmul("C[row * N + col] = __float2bfloat16(workspace[row * N + col] == sum ? 0 : sum);"
                   "workspace[row * N + col] = sum;",
                   "AUTOKERNEL_WORKSPACE(M * N * 4);", kLaunch, ", float* workspace"));

  EXPECT_EQ(result.verdict, Verdict::correct) << result.reason;
}

TEST_F(MatMulTrial, AZeroedWorkspaceHoldsZerosAtEveryLaunch) {
  const Result result =
      trial(matmul("C[row * N + col] = __float2bfloat16(sum + workspace[row * N + col]);"
                   "workspace[row * N + col] = 7.0f;",
                   "AUTOKERNEL_ZEROED_WORKSPACE(M * N * 4);", kLaunch, ", float* workspace"));

  EXPECT_EQ(result.verdict, Verdict::correct) << result.reason;
}

TEST_F(MatMulTrial, AFoldedLaunchOfTwoKernelsIsTimedAndCheckedAsOne) {
  const Result result = trial(
      matmul("workspace[row * N + col] = sum;",
             "AUTOKERNEL_WORKSPACE(M * N * 4);"
             "extern \"C\" __global__ void store(__nv_bfloat16* A, const __nv_bfloat16* B, "
             "__nv_bfloat16* C, float* w) {"
             "  const int i = blockIdx.x * 64 + threadIdx.x; C[i] = __float2bfloat16(w[i]); }",
             "AUTOKERNEL_LAUNCH({.kernel = \"matmul\", .grid = {N / 32, M / 8}, .block = {32, 8}},"
             "{.kernel = \"store\", .grid = {M * N / 64}, .block = {64}});",
             ", float* workspace"));

  EXPECT_EQ(result.verdict, Verdict::correct) << result.reason;
}

TEST_F(MatMulTrial, AnUnknownSizeIsAUsageErrorThatNamesTheKnownOnes) {
  Request asked = request(matmul(kStore));
  asked.size = "huge";
  try {
    static_cast<void>(run_trial(asked, [](Phase) {}));
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'huge'"), HasSubstr("check, default")));
  }
}

constexpr const char* kScaleCase = R"toml(
name = "Scale"
problem = "3x, {N} elements float32"
[sizes.default]
N = 8192
[sizes.check]
N = 1024
[[tensor]]
name = "x"
role = "in"
dtype = "f32"
shape = ["N"]
fill = "normal"
[[tensor]]
name = "y"
role = "out"
dtype = "f32"
shape = ["N"]
[reference]
kind = "kernel"
file = "reference.cu"
[check]
absolute = 0.0
relative = 0.0
exact = "always"
deterministic = true
[cost]
flops = "N"
bytes = "8*N"
[timing]
samples = 4
)toml";

std::string scale(const std::string& body) {
  return "#include <autokernel.cuh>\n"
         "AUTOKERNEL_LAUNCH({.kernel = \"scale\", .grid = {N / 256}, .block = {256}});\n"
         "extern \"C\" __global__ void scale(const float* x, float* y) {\n"
         "  const int i = blockIdx.x * 256 + threadIdx.x;\n  " +
         body + "\n}\n";
}

class ScaleTrial : public ::testing::Test {
 protected:
  ScaleTrial() {
    static_cast<void>(folder_.write("case.toml", kScaleCase));
    static_cast<void>(folder_.write("reference.cu", scale("y[i] = 3 * x[i];")));
  }

  Request request(const std::string& source) {
    Request request;
    request.case_directory = folder_.path();
    request.case_files = cases::read_files(folder_.path()).bytes;
    request.kernel_file = folder_.path() / "kernel.cu";
    request.source = source;
    request.device = parse_device("cpu");
    return request;
  }
  Result trial(const std::string& source) {
    return run_trial(request(source), [](Phase) {});
  }

  test::ScratchFolder folder_;
};

TEST_F(ScaleTrial, AKernelThatAgreesWithTheReferenceKernelIsCorrect) {
  const Result result = trial(scale("y[i] = x[i] * 3.0f;"));

  EXPECT_EQ(result.verdict, Verdict::correct) << result.reason;
  EXPECT_GT(test::present(result.reference).median_us, 0);  // the reference kernel's own time
  EXPECT_EQ(test::present(result.differences).max_abs, 0);
}

TEST_F(ScaleTrial, AKernelThatRoundsOnceMoreIsNot) {
  const Result result =
      trial(scale("y[i] = __fadd_rn(__fmul_rn(x[i], 1.7f), __fmul_rn(x[i], 1.3f));"));

  EXPECT_EQ(result.verdict, Verdict::incorrect);
  EXPECT_THAT(result.reason, HasSubstr("normal inputs, check launch 1 at N = 1024"));
}

TEST_F(ScaleTrial, OpensNothingInTheFolderOfTheCase) {
  const Request asked = request(scale("y[i] = 0;"));
  static_cast<void>(folder_.write("reference.cu", scale("y[i] = 0;")));
  EXPECT_EQ(run_trial(asked, [](Phase) {}).verdict, Verdict::incorrect);
  std::filesystem::remove_all(folder_.path());
  EXPECT_EQ(run_trial(asked, [](Phase) {}).verdict, Verdict::incorrect);
}

TEST_F(ScaleTrial, AReferenceThatDoesNotCompileIsTheCasesFault) {
  static_cast<void>(folder_.write("reference.cu", scale("oops")));
  try {
    static_cast<void>(trial(scale("y[i] = 3 * x[i];")));
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("reference"), HasSubstr("Scale")));
  }
}

TEST_F(ScaleTrial, AReferenceThatFaultsIsTheCasesFault) {
  static_cast<void>(folder_.write("reference.cu", scale("y[i + N] = 3 * x[i];")));
  try {
    static_cast<void>(trial(scale("y[i] = 3 * x[i];")));
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
    EXPECT_THAT(error.what(), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  }
}

TEST_F(ScaleTrial, AReferenceFileThatIsMissingIsNamed) {
  std::filesystem::remove(folder_.path() / "reference.cu");
  try {
    static_cast<void>(trial(scale("y[i] = 3 * x[i];")));
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
    EXPECT_THAT(error.what(), HasSubstr("reference.cu"));
  }
}

}  // namespace
}  // namespace autokernel::trial
