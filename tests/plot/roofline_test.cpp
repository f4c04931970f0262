#include "plot/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autokernel/base/error.h"

namespace autokernel::plot::testing {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// A square product in bf16 that takes so long.
[[nodiscard]] SizePoint product(const std::string& name, double n, double kernel_us,
                                std::optional<double> reference_us) {
  return {.name = name,
          .symbols = {},
          .operations = 2 * n * n * n,
          .bytes = 6 * n * n,
          .kernel_us = kernel_us,
          .reference_us = reference_us};
}

[[nodiscard]] Sweep products_on_h100() {
  return {.problem = "MatMul",
          .device = "NVIDIA H100",
          .reference = "cuBLAS",
          .work_rate = WorkRate::operations,
          .sizes = {product("n256", 256, 4, 3.5), product("n1024", 1024, 7, 6),
                    product("n4096", 4096, 230, 190)},
          .compute = {{"tensor bf16", 989.4}},
          .memory_gbytes_s = 3350};
}

[[nodiscard]] Sweep products_without_peaks() {
  Sweep sweep = products_on_h100();
  sweep.compute.clear();
  sweep.memory_gbytes_s.reset();
  return sweep;
}

TEST(RooflinePicture, HasTheRidgeWhereMemoryAndComputeMeet) {
  const RooflineLayout layout = lay_out_roofline(products_on_h100());
  ASSERT_THAT(layout.roofs, SizeIs(1));
  EXPECT_THAT(layout.roofs[0].ridge, DoubleNear(295.3, 0.1));
  EXPECT_THAT(roofline_script(products_on_h100(), Format::png),
              AllOf(HasSubstr("'ridge 295'"), HasSubstr("'memory 3350 GB/s'"),
                    HasSubstr("'tensor bf16 989 TFLOP/s'")));
}

TEST(RooflinePicture, PutsEachSizeAtItsIntensityAndSpeed) {
  const RooflineLayout layout = lay_out_roofline(products_on_h100());
  ASSERT_THAT(layout.points, SizeIs(3));
  EXPECT_THAT(layout.points[1].intensity, DoubleNear(341.3, 0.1));
  EXPECT_THAT(layout.points[1].kernel, DoubleNear(306.8, 0.1));
  EXPECT_THAT(layout.points[1].reference.value_or(0), DoubleNear(357.9, 0.1));
}

// What is faster than the device can be would lie above.
TEST(RooflinePicture, HasEveryPointInsideThePanelAndBelowTheRoof) {
  const RooflineLayout layout = lay_out_roofline(products_on_h100());
  for (const RooflinePoint& point : layout.points) {
    const Point at = layout.place(point.intensity, point.kernel);
    EXPECT_GT(at.x, layout.left * layout.canvas.width);
    EXPECT_LT(at.x, layout.right * layout.canvas.width);
    EXPECT_GT(at.y, layout.bottom * layout.canvas.height);
    EXPECT_LT(at.y, layout.place(point.intensity, layout.roofs[0].compute.tflops).y);
  }
}

TEST(RooflinePicture, NamesTheSizesWithoutCoveringOneName) {
  Sweep sweep = products_on_h100();
  for (int i = 0; i < 30; ++i) {
    sweep.sizes.push_back(product("size_" + std::to_string(i), 900 + 20 * i, 8 + i, 7 + i));
  }
  const std::vector<Label> labels = size_labels(lay_out_roofline(sweep), sweep);
  EXPECT_FALSE(labels.empty());
  for (std::size_t a = 0; a < labels.size(); ++a) {
    for (std::size_t b = a + 1; b < labels.size(); ++b)
      EXPECT_FALSE(labels[a].box.overlaps(labels[b].box)) << labels[a].text << labels[b].text;
  }
}

TEST(RooflinePicture, HasARoofForEachUnit) {
  Sweep sweep = products_on_h100();
  sweep.compute.push_back({"fp32", 66.9});
  EXPECT_THAT(roofline_script(sweep, Format::png),
              AllOf(HasSubstr("'tensor bf16 989 TFLOP/s'"), HasSubstr("'fp32 66.9 TFLOP/s'"),
                    HasSubstr("'ridge 20.0'")));
}

TEST(RooflinePicture, WithoutPeaksHasPointsAndSaysWhy) {
  const std::string script = roofline_script(products_without_peaks(), Format::png);
  EXPECT_THAT(script, AllOf(HasSubstr("no roofs: what this device could do at most is not known"),
                            HasSubstr("'n1024'"), Not(HasSubstr("ridge"))));
}

TEST(RooflinePicture, OfASlowDeviceIsInGflops) {
  Sweep sweep = products_without_peaks();
  for (SizePoint& size : sweep.sizes) size.kernel_us = 1e8;
  for (SizePoint& size : sweep.sizes) size.reference_us.reset();
  EXPECT_THAT(roofline_script(sweep, Format::png),
              AllOf(HasSubstr("set ylabel 'GFLOP/s'"), Not(HasSubstr("cuBLAS"))));
}

TEST(RooflinePicture, LeavesOutSizesThatWereNotTimed) {
  Sweep sweep = products_on_h100();
  sweep.sizes[0].kernel_us.reset();
  EXPECT_THAT(lay_out_roofline(sweep).points, SizeIs(2));
  for (SizePoint& size : sweep.sizes) size.kernel_us.reset();
  EXPECT_THROW((void)lay_out_roofline(sweep), Error);
}

TEST(RooflinePicture, TakesAnyTextForAName) {
  Sweep sweep = products_on_h100();
  sweep.sizes[0].name = "it's `touch x`";
  sweep.device = "a 'device'\n";
  EXPECT_THAT(roofline_script(sweep, Format::svg),
              AllOf(HasSubstr("'it’s `touch x`'"), HasSubstr("'MatMul on a ’device’ '")));
}

}  // namespace
}  // namespace autokernel::plot::testing
