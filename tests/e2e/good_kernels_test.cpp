// Correct kernels are found correct, and the block says what it must.
#include <gmock/gmock.h>

#include "e2e/workplace.h"
#include "support/full_test.h"

namespace autokernel::test {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

class GoodKernels : public Workplace {};

TEST_F(GoodKernels, TheDefaultCaseIsMeasuredAtItsFullSize) {
  if (!everything_is_wanted()) GTEST_SKIP() << "ten seconds; AUTOKERNEL_TEST_FULL=1 takes it";
  const Outcome run = run_autokernel({"bench", "--device", "cpu"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.err, IsEmpty());
  EXPECT_THAT(run.out,
              MatchesRegex("Device: CPU, emulated CUDA driver \\([^\n]*, [0-9]+ threads\\)\n"
                           "Capability: \\(9, 0\\)\n"
                           "---\n"
                           "label:            kernel\n"
                           "correct:          True\n"
                           "median_us:        [0-9]+\\.[0-9][0-9][0-9]\n"
                           "p95_us:           [0-9]+\\.[0-9][0-9][0-9]\n"
                           "gbytes_s:         [0-9]+\\.[0-9][0-9]\n"
                           "tflops_s:         [0-9]+\\.[0-9][0-9]\n"
                           "max_abs_err:      [0-9]+\\.[0-9][0-9][0-9][0-9][0-9][0-9]\n"
                           "max_rel_err:      [0-9]+\\.[0-9][0-9][0-9][0-9][0-9][0-9]\n"
                           "bench_seconds:    [0-9]+\\.[0-9][0-9]\n"
                           "total_seconds:    [0-9]+\\.[0-9][0-9]\n"
                           "problem:          MatMul \\[1024,1024\\] x \\[1024,1024\\] bfloat16\n"
                           "iters:            [0-9]+ timed \\(cap [0-9]+s\\)\n"
                           "noise_pct:        [0-9]+\\.[0-9][0-9]\n"
                           "reference_us:     [0-9]+\\.[0-9][0-9][0-9]\n"
                           "vs_reference:     [0-9]+\\.[0-9][0-9][0-9]\n"
                           "intensity:        341\\.333\n"
                           "unit:             fp32\n"
                           "registers:        [0-9]+\n"
                           "spill_bytes:      [0-9]+\n"
                           "shared_bytes:     0\n"
                           "stages:           compile PASS\n"
                           "                  smoke PASS\n"
                           "                  determinism PASS\n"
                           "                  stability PASS\n"
                           "                  sizes SKIP: --full checks them\n"
                           "                  edge_sizes SKIP: --full checks them\n"
                           "                  timed_outputs PASS\n"
                           "(event_floor_us:   [0-9]+\\.[0-9][0-9][0-9]\n)?"
                           "timing:           emulated\n"
                           "(conditions:       [^\n]*\n)?"
                           "(warning:          other programs used [^\n]*\n)?"
                           "(warning:          environment variables [^\n]*\n)?"
                           "verdict:          correct\n"
                           "(log: [^\n]*\n)?"
                           "next:             [^\n]+\n"));
  EXPECT_THAT(std::stoi(value_of("iters", run.out)), Ge(5));
  expect_nothing_left();
}

TEST_F(GoodKernels, TheDefaultKernelIsMeasuredAtTheSmallSizeToo) {
  const Outcome run = run_autokernel({"bench", "--device", "cpu", "--size", "check"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(value_of("problem", run.out), "MatMul [256,256] x [256,256] bfloat16");
  expect_nothing_left();
}

TEST_F(GoodKernels, AKernelWithSharedMemoryTilesIsCorrect) {
  const Outcome run = bench("tiled");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(value_of("shared_bytes", run.out), "4096");
  expect_nothing_left();
}

TEST_F(GoodKernels, AKernelWithVectorLoadsIsCorrect) {
  const Outcome run = bench("vectorised");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(value_of("correct", run.out), "True");
  expect_nothing_left();
}

TEST_F(GoodKernels, AKernelOnTensorCoresWithAsynchronousCopiesIsCorrect) {
  const Outcome run = bench("pipelined");
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(value_of("correct", run.out), "True");
  expect_nothing_left();
}

// By way of CUDA's own header, mma.h.
TEST_F(GoodKernels, AKernelWithFragmentsOfWarpsIsCorrect) {
  const Outcome run = test::run(
      autokernel({"bench", "--device", "cpu", "--size", "check", "--kernel",
                  (std::filesystem::path(AUTOKERNEL_SOURCES) / "tests/gpu/kernels/tensor_cores.cu")
                      .string()}));
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(value_of("correct", run.out), "True");
  expect_nothing_left();
}

TEST_F(GoodKernels, ACaseIsFoundFromItsOwnFolder) {
  Invocation inside = autokernel({"bench", "--device", "cpu", "--size", "check"});
  inside.directory /= "kernels";
  const Outcome run = test::run(inside);
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  expect_nothing_left();
}

TEST_F(GoodKernels, AnotherArchitectureIsCompiledForAndShown) {
  const Outcome run =
      run_autokernel({"bench", "--device", "cpu", "--size", "check", "--arch", "sm_80"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(value_of("Capability", run.out), "(8, 0)");
  expect_nothing_left();
}

TEST_F(GoodKernels, AnElementwiseCaseWithItsOwnReferenceIsMeasured) {
  const Outcome run = run_autokernel({"bench", "--device", "cpu", "--case",
                                      std::string(AUTOKERNEL_SOURCES) + "/tests/data/elementwise"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(value_of("correct", run.out), "True");
  expect_nothing_left();
}

}  // namespace
}  // namespace autokernel::test
