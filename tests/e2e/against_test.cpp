// `bench --against`: two kernels compared by hand.
#include <gmock/gmock.h>

#include "e2e/loop_workplace.h"

namespace autokernel::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

class Against : public LoopWorkplace {
 protected:
  [[nodiscard]] Outcome bench(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"bench", "--device", "cpu", "--size", "check"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_autokernel(arguments);
  }
};

TEST_F(Against, ARevisionAFasterKernelEndsWithZero) {
  edit(kernel(kFaster));
  const Outcome run = bench({"--against", "HEAD"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(value_of("verdict", run.out), "faster");
  EXPECT_EQ(value_of("against", run.out), "HEAD");
  EXPECT_GT(std::stod(value_of("gain_pct", run.out)), 50);
  EXPECT_GT(std::stod(value_of("against_us", run.out)), std::stod(value_of("median_us", run.out)));
}

TEST_F(Against, AFileASlowerKernelEndsWithTen) {
  repository_.write("tries/quick.cu", kernel(kFaster));
  const Outcome run = bench({"--against", "tries/quick.cu"});
  EXPECT_EQ(run.code, 10) << run.out << run.err;
  EXPECT_EQ(value_of("verdict", run.out), "not_faster");
  EXPECT_EQ(value_of("correct", run.out), "True");
}

TEST_F(Against, AWrongKernelEndsWithElevenAndNoComparison) {
  edit(wrong_kernel());
  const Outcome run = bench({"--against", "HEAD"});
  EXPECT_EQ(run.code, 11) << run.out << run.err;
  EXPECT_THAT(value_of("gain_pct", run.out), IsEmpty());
}

TEST_F(Against, LessThanTheMinGainIsNotFaster) {
  edit(kernel(kSlow / 2));
  const Outcome run = bench({"--against", "HEAD", "--min-gain", "90"});
  EXPECT_EQ(run.code, 10) << run.out << run.err;
  EXPECT_THAT(value_of("reason", run.out), HasSubstr("the minimum gain is 90.00 %"));
}

TEST_F(Against, TheJsonHoldsTheComparison) {
  edit(kernel(kFaster));
  const Outcome run = bench({"--against", "HEAD", "--json"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  const json object = json::parse(run.out);
  EXPECT_EQ(object.at("exit_code"), 0);
  const json& comparison = object.at("comparison");
  EXPECT_EQ(comparison.at("against"), "HEAD");
  EXPECT_EQ(comparison.at("outcome"), "faster");
  EXPECT_GT(comparison.at("gain"), 0.5);
  EXPECT_EQ(comparison.at("against_samples_us").size(), object.at("samples_us").size());
}

TEST_F(Against, OutsideItsSandboxAFasterKernelIsInconclusive) {
  edit(kernel(kFaster));
  const Outcome run = bench({"--against", "HEAD", "--unconfined", "--json"});
  EXPECT_EQ(run.code, 16) << run.out << run.err;
  const json object = json::parse(run.out);
  EXPECT_EQ(object.at("conditions").at("clean"), false);
  EXPECT_EQ(object.at("comparison").at("outcome"), "inconclusive");
  EXPECT_THAT(object.at("comparison").at("reason").get<std::string>(),
              HasSubstr("outside its sandbox"));
}

TEST_F(Against, WhatIsNeitherFileNorRevisionIsRefused) {
  const Outcome run = bench({"--against", "no-such-thing"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err,
              HasSubstr("cannot compare with no-such-thing: there is no such file or folder, and"));
}

TEST_F(Against, AMinGainAloneIsRefused) {
  const Outcome run = bench({"--min-gain", "5"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("--min-gain needs --against"));
}

}  // namespace
}  // namespace autokernel::test
