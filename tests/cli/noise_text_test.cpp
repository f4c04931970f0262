// What `autokernel noise --json` prints, to the byte: other programs read it.
#include "cli/noise_text.h"

#include <gtest/gtest.h>

namespace autokernel::cli {
namespace {

NoiseReport report() {
  NoiseReport report;
  report.result.problem = "MatMul";
  report.result.warnings = {"it is noisy", ""};
  report.processes = 6;
  report.noise.device = "NVIDIA H200";
  report.noise.driver_version = "13.0";
  report.noise.case_directory = "kernels";
  report.noise.size = "default";
  report.noise.at = "2026-01-31T12:34:56Z";
  report.noise.figures = {.pairs = 812,
                          .pair_seconds = 0.0123,
                          .pair_noise = 0.02,
                          .mean_noise = 0.001,
                          .drift = 0.05,
                          .reach = {{{1, {}}, {5, 0.03}, {30, 0.0125}}},
                          .longest = {20, 0.015},
                          .min_gain = 0.02,
                          .decisions = 3000,
                          .false_keeps = 1};
  report.file = "/here/.autokernel/noise/0123456789abcdef.json";
  return report;
}

const std::string kBegun =
    R"({"schema_version":1,"program":"autokernel )" AUTOKERNEL_VERSION R"(",)";

TEST(NoiseJson, HasEveryFigureInItsPlace) {
  EXPECT_EQ(
      noise_json(report()),
      kBegun +
          R"("device":"NVIDIA H200","driver_version":"13.0","case":"kernels","size":"default",)"
          R"("at":"2026-01-31T12:34:56Z","problem":"MatMul","processes":6,"pairs":812,)"
          R"("pair_seconds":0.0123,"pair_noise":0.02,"mean_noise":0.001,"drift":0.05,)"
          R"("reach":[{"seconds":1.0,"gain":null},{"seconds":5.0,"gain":0.03},{"seconds":30.0,)"
          R"("gain":0.0125}],"longest":{"seconds":20.0,"gain":0.015},"min_gain":0.02,)"
          R"("decisions":3000,"false_keeps":1,"warnings":["it is noisy",""],)"
          R"("stored":"/here/.autokernel/noise/0123456789abcdef.json",)"
          R"("next":"a gain of 2 % is detectable here: autokernel loop start TAG, or bench --against"})"
          "\n");
}

TEST(NoiseJson, OfNothingHasEmptyTextsAndNullWhereThereIsNoFile) {
  EXPECT_EQ(
      noise_json({}),
      kBegun +
          R"("device":"","driver_version":"","case":"","size":"","at":"","problem":"",)"
          R"("processes":0,"pairs":0,"pair_seconds":0.0,"pair_noise":0.0,"mean_noise":0.0,)"
          R"("drift":0.0,"reach":[{"seconds":0.0,"gain":null},{"seconds":0.0,"gain":null},)"
          R"({"seconds":0.0,"gain":null}],"longest":{"seconds":0.0,"gain":null},)"
          R"("min_gain":0.0,"decisions":0,"false_keeps":0,"warnings":[],"stored":null,)"
          R"("next":"by the noise measured here, a comparison has no time for the pairs it needs: choose a smaller size"})"
          "\n");
}

}  // namespace
}  // namespace autokernel::cli
