#include "cli/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace autokernel::cli {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using trial::Result;
using trial::Verdict;

Result measured() {
  Result result;
  result.device =
      trial::DeviceReport{.name = "NVIDIA H200", .major = 9, .minor = 0, .emulated = false};
  result.problem = "MatMul [1024,1024] x [1024,1024] bfloat16";
  result.times = trial::Times{.samples_us = std::vector<double>(50, 1467.141),
                              .median_us = 1467.141,
                              .p95_us = 1813.947,
                              .noise_pct = 1.234};
  result.differences = trial::Differences{.max_abs = 0.5, .max_rel = 0.009756};
  result.flops = 2.0 * 1024 * 1024 * 1024;
  result.bytes = 3.0 * 2 * 1024 * 1024;
  result.bench_seconds = 0.08;
  result.total_seconds = 1.22;
  return result;
}

// Everything that can be known.
Result measured_fully() {
  Result result = measured();
  result.reference =
      trial::Times{.samples_us = {}, .median_us = 146.7141, .p95_us = 150, .noise_pct = 1};
  result.peak_tflops = 989.4;
  result.peak_gbytes_s = 4800;
  result.unit = driver::Unit::tensor_bf16;
  result.unit_tflops = 989.4;
  result.resources = trial::ResourceReport{.registers = 40, .spill_bytes = 8, .shared_bytes = 1024};
  result.event_floor_us = 1.0244;
  result.warm_us = 1400.5;
  result.warnings = {"C7510: wgmma is serialised"};
  return result;
}

Result failed(Verdict verdict, const std::string& reason) {
  Result result = measured();
  result.verdict = verdict;
  result.reason = reason;
  return result;
}

std::string errors_of(double max_abs) {
  Result result = measured();
  result.differences = trial::Differences{.max_abs = max_abs, .max_rel = 0};
  const std::string text = text_block(result, "");
  const std::size_t begin = text.find("max_abs_err:");
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(Report, WritesErrorsOfFp32WithDigitsThatSaySomething) {
  EXPECT_EQ(errors_of(1.1920929e-7), "max_abs_err:      0.0000001192");
  EXPECT_EQ(errors_of(0.000030517578), "max_abs_err:      0.00003052");
  EXPECT_EQ(errors_of(1.4e-45),
            "max_abs_err:      0.000000000000000000000000000000000000000000001400");
}

TEST(Report, WritesOtherErrorsAsItAlwaysHas) {
  EXPECT_EQ(errors_of(0), "max_abs_err:      0.000000");
  EXPECT_EQ(errors_of(0.007812), "max_abs_err:      0.007812");
  EXPECT_EQ(errors_of(1234.5), "max_abs_err:      1234.500000");
  EXPECT_EQ(errors_of(std::numeric_limits<double>::infinity()), "max_abs_err:      inf");
}

// The agreed block, letter by letter: agents written for other harnesses parse it.
TEST(Report, BeginsWithTheDeviceAndTheTwelveKeysAsTheyAreKnown) {
  EXPECT_THAT(text_block(measured(), ""),
              StartsWith("Device: NVIDIA H200\n"
                         "Capability: (9, 0)\n"
                         "---\n"
                         "label:            kernel\n"
                         "correct:          True\n"
                         "median_us:        1467.141\n"
                         "p95_us:           1813.947\n"
                         "gbytes_s:         4.29\n"
                         "tflops_s:         1.46\n"
                         "max_abs_err:      0.500000\n"
                         "max_rel_err:      0.009756\n"
                         "bench_seconds:    0.08\n"
                         "total_seconds:    1.22\n"
                         "problem:          MatMul [1024,1024] x [1024,1024] bfloat16\n"
                         "iters:            50 timed (cap 60s)\n"
                         "noise_pct:        1.23\n"));
}

TEST(Report, GoesOnWithOurKeysInTheirOrder) {
  EXPECT_THAT(text_block(measured_fully(), ""),
              HasSubstr("iters:            50 timed (cap 60s)\n"
                        "noise_pct:        1.23\n"
                        "reference_us:     146.714\n"
                        "vs_reference:     0.100\n"
                        "pct_peak:         0.1\n"
                        "bound:            compute\n"
                        "intensity:        341.333\n"
                        "ridge:            206.125\n"
                        "unit:             tensor bf16\n"
                        "pct_unit:         0.1\n"
                        "sol_score:        0.090\n"
                        "registers:        40\n"
                        "spill_bytes:      8\n"
                        "shared_bytes:     1024\n"
                        "event_floor_us:   1.024\n"
                        "warm_us:          1400.500\n"
                        "timing:           gpu\n"
                        "warning:          C7510: wgmma is serialised\n"
                        "verdict:          correct\n"
                        "next:             "));
}

TEST(Report, SaysOfAnEmulatedDeviceWhatNeedsNoPeak) {
  Result result = measured();
  result.unit = driver::Unit::fp32;
  EXPECT_THAT(text_block(result, ""), AllOf(HasSubstr("intensity:        341.333\n"
                                                      "unit:             fp32\n"),
                                            Not(HasSubstr("ridge")), Not(HasSubstr("pct_unit")),
                                            Not(HasSubstr("sol_score"))));
}

TEST(Report, HasNoLineForAValueThatDoesNotExist) {
  EXPECT_THAT(
      text_block(measured(), ""),
      AllOf(Not(HasSubstr("reference_us")), Not(HasSubstr("pct_peak")), Not(HasSubstr("registers")),
            Not(HasSubstr("event_floor_us")), Not(HasSubstr("warm_us")), Not(HasSubstr("warning")),
            Not(HasSubstr("reason")), Not(HasSubstr("log:"))));
}

TEST(Report, KeepsASpaceBehindTheLongestKey) {
  Result result = measured();
  result.reference_default_us = 8.592;
  EXPECT_THAT(text_block(result, ""), HasSubstr("\nreference_default_us: 8.592\n"));
}

TEST(Report, SaysThatTimesAreEmulated) {
  Result result = measured();
  result.device =
      trial::DeviceReport{"CPU, emulated CUDA driver (a processor, 2 threads)", 9, 0, true};
  EXPECT_THAT(text_block(result, ""), HasSubstr("timing:           emulated\n"));
}

TEST(Report, OfAWrongKernelSaysWhyAndNotHowFastItIs) {
  const std::string text = text_block(failed(Verdict::incorrect, "C[17][42] is 1, expected 2"), "");
  EXPECT_THAT(
      text, AllOf(HasSubstr("correct:          False\n"), HasSubstr("max_abs_err:      0.500000\n"),
                  HasSubstr("verdict:          incorrect\n"
                            "reason:           C[17][42] is 1, expected 2\n"
                            "next:             ")));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("median_us")), Not(HasSubstr("p95_us")),
                          Not(HasSubstr("_s:               ")), Not(HasSubstr("iters")),
                          Not(HasSubstr("noise_pct")), Not(HasSubstr("bench_seconds"))));
}

TEST(Report, WithoutADeviceBeginsAtTheLine) {
  Result result;
  result.verdict = Verdict::timed_out;
  EXPECT_THAT(text_block(result, ""), StartsWith("---\nlabel:            kernel\n"
                                                 "correct:          False\n"));
}

TEST(Report, ContinuesAReasonOfSeveralLinesBelowItsFirst) {
  EXPECT_THAT(
      text_block(failed(Verdict::does_not_compile, "line 3: expected ';'\n  int x\n  ^\n"), ""),
      HasSubstr("reason:           line 3: expected ';'\n"
                "                    int x\n"
                "                    ^\n"
                "next:"));
}

TEST(Report, NamesTheLog) {
  EXPECT_THAT(text_block(failed(Verdict::crashed, "why"), "/logs/one.log"),
              HasSubstr("reason:           why\nlog:              /logs/one.log\nnext:"));
}

TEST(Report, PassesNoEscapeSequenceOnToTheTerminal) {
  EXPECT_THAT(text_block(failed(Verdict::crashed, "a\033[2Jb\tc\rd"), ""),
              HasSubstr("reason:           a\\u001B[2Jb c\\u000Dd\n"));
}

TEST(Report, PrintsADifferenceThatIsNoNumber) {
  Result result = failed(Verdict::incorrect, "NaN");
  result.differences = trial::Differences{.max_abs = std::numeric_limits<double>::quiet_NaN(),
                                          .max_rel = std::numeric_limits<double>::infinity()};
  EXPECT_THAT(text_block(result, ""),
              AllOf(HasSubstr("max_abs_err:      nan\n"), HasSubstr("max_rel_err:      inf\n")));
}

TEST(Report, EndsWithALineEnd) { EXPECT_THAT(text_block(measured_fully(), ""), EndsWith("\n")); }

}  // namespace
}  // namespace autokernel::cli
