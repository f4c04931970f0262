#include "plot/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autokernel/base/error.h"

namespace autokernel::plot::testing {
namespace {

using ::testing::AllOf;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

[[nodiscard]] SizePoint rows_of(std::int64_t rows, std::int64_t columns, double kernel_us) {
  const auto elements = static_cast<double>(rows * columns);
  return {.name = "rows_" + std::to_string(rows) + "_" + std::to_string(columns),
          .symbols = {{"COLS", columns}, {"ROWS", rows}},
          .operations = elements,
          .bytes = 4 * elements,
          .kernel_us = kernel_us,
          .reference_us = 2 * kernel_us};
}

[[nodiscard]] Sweep sums(std::vector<SizePoint> sizes) {
  return {.problem = "RowSums",
          .device = "NVIDIA H100",
          .reference = "library",
          .work_rate = WorkRate::bytes,
          .sizes = std::move(sizes),
          .compute = {},
          .memory_gbytes_s = {}};
}

TEST(SizesPicture, GoesAlongTheOnlySymbolThatDiffersInItsOrder) {
  const SizesLayout layout =
      lay_out_sizes(sums({rows_of(1024, 64, 8), rows_of(16, 64, 2), rows_of(128, 64, 4)}));
  EXPECT_EQ(layout.title, "ROWS");
  EXPECT_THAT(layout.places, ElementsAre(16, 128, 1024));
  EXPECT_TRUE(layout.axis.logarithmic);
  EXPECT_THAT(layout.axis.ticks, ElementsAre(16, 128, 1024));
  EXPECT_THAT(layout.time.kernel, ElementsAre(2, 4, 8));
}

TEST(SizesPicture, GoesAlongSymbolsThatAreEqualTogether) {
  const SizesLayout layout = lay_out_sizes(sums({rows_of(64, 64, 2), rows_of(128, 128, 4)}));
  EXPECT_EQ(layout.title, "COLS = ROWS");
  EXPECT_FALSE(layout.axis.logarithmic);
}

TEST(SizesPicture, SetsOtherSizesBesideEachOtherByName) {
  const SizesLayout layout =
      lay_out_sizes(sums({rows_of(64, 64, 2), rows_of(128, 16, 4), rows_of(128, 64, 3)}));
  EXPECT_TRUE(layout.by_name);
  EXPECT_THAT(layout.places, ElementsAre(0, 1, 2));
  EXPECT_THAT(layout.names, ElementsAre("rows_64_64", "rows_128_16", "rows_128_64"));
  // A line would say that there is something between them.
  const Sweep sweep = sums({rows_of(64, 64, 2), rows_of(128, 16, 4)});
  EXPECT_THAT(
      sizes_script(sweep, Format::png),
      AllOf(HasSubstr("'rows_128_16' 1"), HasSubstr("with points"), Not(HasSubstr("linespoints"))));
}

TEST(SizesPicture, HasBytesOrOperationsPerTime) {
  Sweep sweep = sums({rows_of(1000, 1000, 1)});
  EXPECT_THAT(lay_out_sizes(sweep).throughput.kernel, ElementsAre(DoubleEq(4000)));
  EXPECT_THAT(lay_out_sizes(sweep).throughput.title, HasSubstr("GB/s"));
  sweep.work_rate = WorkRate::operations;
  EXPECT_THAT(lay_out_sizes(sweep).throughput.kernel, ElementsAre(DoubleEq(1)));
  EXPECT_THAT(lay_out_sizes(sweep).throughput.title, HasSubstr("TFLOP/s"));
  sweep = sums({rows_of(1000, 1000, 1000)});
  sweep.work_rate = WorkRate::operations;
  EXPECT_THAT(lay_out_sizes(sweep).throughput.kernel, ElementsAre(DoubleEq(1)));
  EXPECT_THAT(lay_out_sizes(sweep).throughput.title, HasSubstr("GFLOP/s"));
}

TEST(SizesPicture, SaysHowFastTheKernelIsInTheMean) {
  Sweep sweep = sums({rows_of(16, 64, 2), rows_of(128, 64, 4), rows_of(1024, 64, 8)});
  EXPECT_THAT(lay_out_sizes(sweep).headline,
              HasSubstr("3 sizes; 2.00 times as fast as library (geometric mean)"));
  sweep.sizes[1].reference_us.reset();
  EXPECT_THAT(lay_out_sizes(sweep).headline, HasSubstr("(geometric mean of 2)"));
  for (SizePoint& size : sweep.sizes) size.reference_us.reset();
  EXPECT_EQ(lay_out_sizes(sweep).headline, "3 sizes");
}

TEST(SizesPicture, LeavesOutSizesThatWereNotTimed) {
  Sweep sweep = sums({rows_of(16, 64, 2), rows_of(128, 64, 4)});
  sweep.sizes[0].kernel_us.reset();
  EXPECT_THAT(lay_out_sizes(sweep).names, ElementsAre("rows_128_64"));
  sweep.sizes[1].kernel_us.reset();
  EXPECT_THROW((void)lay_out_sizes(sweep), Error);
}

}  // namespace
}  // namespace autokernel::plot::testing
