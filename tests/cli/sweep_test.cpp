#include "cli/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/trial/record.h"
#include "cli/sweep_pictures.h"

namespace autokernel::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using trial::Result;

[[nodiscard]] cases::Case rows_of_sums() {
  cases::Case problem;
  problem.name = "RowSums";
  problem.sizes = {{"default", {{"ROWS", 1024}, {"COLS", 64}}},
                   {"check", {{"ROWS", 16}, {"COLS", 64}}},
                   {"edge", {{"ROWS", 1}, {"COLS", 7}}}};
  problem.flops = "ROWS*COLS";
  problem.bytes = "4*ROWS*COLS";
  return problem;
}

[[nodiscard]] Result measured_on_gpu(double median_us, double reference_us) {
  Result result;
  result.device =
      trial::DeviceReport{.name = "NVIDIA H100", .major = 9, .minor = 0, .emulated = false};
  result.times = trial::Times{
      .samples_us = {median_us}, .median_us = median_us, .p95_us = median_us, .noise_pct = 0};
  result.reference =
      trial::Times{.samples_us = {}, .median_us = reference_us, .p95_us = 0, .noise_pct = 0};
  result.flops = 1e9;
  result.bytes = 1e6;
  result.peak_tflops = 989.4;
  result.peak_gbytes_s = 3350;
  result.unit = driver::Unit::tensor_bf16;
  result.unit_tflops = 989.4;
  result.versions["reference"] = "cuBLAS 13.0";
  return result;
}

// A sweep in which each size is what `results` has for it; one that is not there is an Error.
class SweepOf {
 public:
  explicit SweepOf(std::map<std::string, Result> results) : results_(std::move(results)) {}
  SweepPlan plan{.sizes = {"edge", "check", "default"},
                 .has_incumbent = false,
                 .json = false,
                 .plot = {},
                 .roofline = {}};

  int run() {
    const Console console{.out = out_, .err = err_, .err_is_terminal = false};
    return run_sweep(
        problem_, plan,
        [&](const std::string& size) -> SizeMeasured {
          if (size == interrupted_at) throw Interrupted(SIGINT);
          const auto found = results_.find(size);
          if (found == results_.end()) throw Error(Stop::environment, "no memory for " + size);
          return {found->second, trial::record({}, found->second, "")};
        },
        console);
  }
  [[nodiscard]] std::string out() const { return out_.str(); }
  std::string interrupted_at;

 private:
  cases::Case problem_ = rows_of_sums();
  std::map<std::string, Result> results_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST(SweepSizes, AreAllOfTheCaseFromTheFewestOperationsOn) {
  EXPECT_THAT(sweep_sizes(rows_of_sums(), ""), ElementsAre("edge", "check", "default"));
}

TEST(SweepSizes, AreThoseNamedInTheirOrder) {
  EXPECT_THAT(sweep_sizes(rows_of_sums(), "default,edge"), ElementsAre("default", "edge"));
}

TEST(SweepSizes, ThatTheCaseLacksOrThatAreNamedTwiceAreRefused) {
  EXPECT_THROW((void)sweep_sizes(rows_of_sums(), "check,huge"), Error);
  EXPECT_THROW((void)sweep_sizes(rows_of_sums(), "check,"), Error);
  EXPECT_THROW((void)sweep_sizes(rows_of_sums(), "check,edge,check"), Error);
}

TEST(SweepTable, HasARowForEachSizeAndTheGeometricMean) {
  SweepOf sweep({{"edge", measured_on_gpu(2, 1)},
                 {"check", measured_on_gpu(2, 4)},
                 {"default", measured_on_gpu(10, 80)}});
  EXPECT_EQ(sweep.run(), 0);
  EXPECT_EQ(sweep.out(),
            "Device: NVIDIA H100\n"
            "Capability: (9, 0)\n"
            "---\n"
            "size     COLS  ROWS       median_us    reference_us  vs_reference    tflops_s"
            "    gbytes_s  pct_peak  verdict\n"
            "edge        7     1           2.000           1.000         0.500     500.000"
            "      500.00      50.5  correct\n"
            "check      64    16           2.000           4.000         2.000     500.000"
            "      500.00      50.5  correct\n"
            "default    64  1024          10.000          80.000         8.000     100.000"
            "      100.00      10.1  correct\n"
            "sizes:            3 of 3 measured\n"
            "geomean_vs_reference: 2.000 of 3 sizes\n"
            "timing:           gpu\n");
}

TEST(SweepTable, SaysWhyASizeCouldNotBeRunAndGoesOn) {
  SweepOf sweep({{"edge", measured_on_gpu(2, 1)}, {"default", measured_on_gpu(10, 80)}});
  EXPECT_EQ(sweep.run(), 3);
  EXPECT_THAT(sweep.out(),
              AllOf(HasSubstr("-  not run: no memory for check\n"),
                    HasSubstr("sizes:            2 of 3 measured\n"), HasSubstr("\ndefault ")));
}

TEST(SweepTable, BeginsWithTheDeviceAlsoWhereTheFirstSizeCouldNotBeRun) {
  SweepOf sweep({{"check", measured_on_gpu(2, 1)}, {"default", measured_on_gpu(10, 80)}});
  EXPECT_EQ(sweep.run(), 3);
  EXPECT_THAT(sweep.out(), AllOf(StartsWith("Device: NVIDIA H100\n"),
                                 HasSubstr("not run: no memory for edge\n")));
}

TEST(SweepTable, HasNoTimeOfAKernelThatFailed) {
  Result wrong = measured_on_gpu(2, 1);
  wrong.verdict = trial::Verdict::incorrect;
  wrong.reason = "y[3] is 1, expected 2\nand more";
  SweepOf sweep({{"edge", measured_on_gpu(2, 1)}, {"check", wrong}});
  EXPECT_EQ(sweep.run(), 11);
  EXPECT_THAT(sweep.out(), AllOf(HasSubstr("-  incorrect: y[3] is 1, expected 2\n"),
                                 HasSubstr("sizes:            1 of 3 measured\n")));
}

TEST(SweepTable, HasTheGainOverAnIncumbent) {
  Result compared = measured_on_gpu(2, 1);
  compared.comparison.emplace();
  compared.comparison->outcome = trial::Outcome::not_faster;
  compared.comparison->gain = -0.125;
  SweepOf sweep({{"edge", compared}});
  sweep.plan.sizes = {"edge"};
  sweep.plan.has_incumbent = true;
  EXPECT_EQ(sweep.run(), 10);
  EXPECT_THAT(sweep.out(),
              AllOf(HasSubstr("pct_peak  gain_pct  verdict\n"), HasSubstr("-12.50  not_faster\n")));
}

TEST(Sweep, EndsWhereTheFirstTwoSizesStopInTheSameWords) {
  int tried = 0;
  std::ostringstream out;
  const auto measure = [&](const std::string&) -> SizeMeasured {
    ++tried;
    throw Error(Stop::environment, "no such device");
  };
  const SweepPlan plan{.sizes = {"edge", "check", "default"},
                       .has_incumbent = false,
                       .json = false,
                       .plot = {},
                       .roofline = {}};
  try {
    (void)run_sweep(rows_of_sums(), plan, measure,
                    {.out = out, .err = out, .err_is_terminal = false});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::environment);
    EXPECT_STREQ(error.what(), "no such device");
  }
  EXPECT_EQ(tried, 2);
  EXPECT_THAT(out.str(), IsEmpty());
}

TEST(Sweep, ThatIsInterruptedPrintsWhatWasDone) {
  SweepOf sweep({{"edge", measured_on_gpu(2, 1)}, {"check", measured_on_gpu(2, 4)}});
  sweep.interrupted_at = "default";
  EXPECT_THROW((void)sweep.run(), Interrupted);
  EXPECT_THAT(sweep.out(),
              AllOf(HasSubstr("\nedge "), HasSubstr("\ncheck "), Not(HasSubstr("\ndefault ")),
                    HasSubstr("sizes:            2 of 3 measured\n")));
}

TEST(SweepRecord, HasTheRecordOfEachTrial) {
  SweepOf sweep({{"edge", measured_on_gpu(2, 1)}, {"default", measured_on_gpu(10, 40)}});
  sweep.plan.json = true;
  EXPECT_EQ(sweep.run(), 3);
  EXPECT_THAT(sweep.out(), EndsWith("}\n"));
  const json object = json::parse(sweep.out());
  EXPECT_EQ(object["exit_code"], 3);
  EXPECT_THAT(object["geomean_vs_reference"].get<double>(), testing::DoubleNear(1.4142, 1e-4));
  EXPECT_EQ(object["sizes"], json({"edge", "check", "default"}));
  ASSERT_EQ(object["records"].size(), 3U);
  EXPECT_EQ(object["records"][0]["median_us"], 2.0);
  EXPECT_EQ(object["records"][0]["unit"], "tensor bf16");
  EXPECT_EQ(object["records"][1]["error"], "no memory for check");
  EXPECT_FALSE(object.contains("error"));
}

TEST(SweepRecord, OfAnInterruptedSweepSaysSo) {
  SweepOf sweep({{"edge", measured_on_gpu(2, 1)}});
  sweep.plan.json = true;
  sweep.interrupted_at = "check";
  EXPECT_THROW((void)sweep.run(), Interrupted);
  const json object = json::parse(sweep.out());
  EXPECT_EQ(object["exit_code"], 130);
  EXPECT_THAT(object["error"].get<std::string>(), HasSubstr("interrupted"));
  EXPECT_EQ(object["sizes"], json::array({"edge"}));
}

TEST(SweepExitCode, IsThatOfTheWorst) {
  EXPECT_EQ(worse(0, 10), 10);
  EXPECT_EQ(worse(16, 10), 16);
  EXPECT_EQ(worse(3, 17), 3);
  EXPECT_EQ(worse(11, 3), 11);
  EXPECT_EQ(worse(14, 11), 14);
}

TEST(SweepPicture, HasTheRoofsOfTheUnitAndTheTimesOfWhatWasRight) {
  Result wrong = measured_on_gpu(2, 1);
  wrong.verdict = trial::Verdict::incorrect;
  std::vector<SweepRow> rows(3);
  rows[0] = {.size = "edge",
             .symbols = {{"ROWS", 1}},
             .result = measured_on_gpu(2, 1),
             .error = {},
             .exit_code = 0,
             .record = {}};
  rows[1].result = wrong;
  rows[2].error = "no memory";
  const plot::Sweep drawn = drawn_sweep(rows_of_sums(), rows);
  EXPECT_EQ(drawn.problem, "RowSums");
  EXPECT_EQ(drawn.device, "NVIDIA H100");
  EXPECT_EQ(drawn.reference, "cuBLAS");
  ASSERT_EQ(drawn.sizes.size(), 1U);
  EXPECT_THAT(drawn.sizes[0].kernel_us, testing::Optional(DoubleEq(2)));
  ASSERT_EQ(drawn.compute.size(), 1U);
  EXPECT_EQ(drawn.compute[0].unit, "tensor bf16");
  EXPECT_THAT(drawn.memory_gbytes_s, testing::Optional(DoubleEq(3350)));
}

TEST(SweepPicture, ThatCannotBeDrawnIsRefusedBeforehand) {
  const auto refused = [](const std::string& plot, const std::string& roofline) {
    try {
      require_drawable(
          {.sizes = {}, .has_incumbent = false, .json = false, .plot = plot, .roofline = roofline});
      return false;
    } catch (const Error& error) {
      return error.stop() == Stop::usage;
    }
  };
  EXPECT_TRUE(refused("times.txt", ""));
  EXPECT_TRUE(refused("", "/no/such/folder/roofline.png"));
  EXPECT_TRUE(refused("one.png", "one.png"));
}

}  // namespace
}  // namespace autokernel::cli
