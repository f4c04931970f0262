#include "autokernel/programs/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "programs/sample_profile.h"

namespace autokernel::programs {
namespace {

using sample::SampleProfile;
using testing::DoubleEq;
using testing::DoubleNear;

TEST(Ranking, PutsLaunchesOfOneKernelTogetherTheLongestFirst) {
  SampleProfile sample;
  sample.launch("short", 0, 1000);
  sample.launch("long", 1000, 6000);
  sample.launch("short", 6000, 8000);
  const Ranking ranking = ranked(sample.profile);
  ASSERT_EQ(ranking.kernels.size(), 2U);
  EXPECT_EQ(ranking.kernels[0].name, "long");
  EXPECT_THAT(ranking.kernels[0].share, DoubleEq(5.0 / 8));
  EXPECT_EQ(ranking.kernels[1].launches, 2);
  EXPECT_THAT(ranking.kernels[1].mean_us, DoubleEq(1.5));
  EXPECT_THAT(ranking.kernels[1].least_us, DoubleEq(1));
  EXPECT_THAT(ranking.kernels[1].most_us, DoubleEq(2));
}

TEST(Ranking, KeepsLaunchesOfDifferentShapesApart) {
  SampleProfile sample;
  sample.launch("kernel", 0, 1000);
  sample.launch("kernel", 1000, 2000).grid.x = 8;
  EXPECT_EQ(ranked(sample.profile).kernels.size(), 2U);
}

TEST(Ranking, CountsTimeInWhichKernelsOverlapOnceAsBusy) {
  SampleProfile sample;
  sample.launch("a", 0, 4000);
  sample.launch("b", 2000, 6000);
  sample.launch("a", 8000, 10000);
  const Totals totals = ranked(sample.profile).totals;
  EXPECT_THAT(totals.span_us, DoubleEq(10));
  EXPECT_THAT(totals.kernels_us, DoubleEq(10));
  EXPECT_THAT(totals.idle_share, DoubleNear(0.2, 1e-12));
}

TEST(Ranking, KeepsLaunchesForDifferentProductsApartAndEqualOnesTogether) {
  SampleProfile sample;
  for (const std::int64_t m : {64, 128, 64}) {
    Operation operation{.name = "cublasLtMatmul", .dims = {}, .types = {}, .product = Product{}};
    operation.product->m = m;
    sample.launch("gemm", 0, 1000).operation =
        static_cast<std::int64_t>(sample.profile.operations.size());
    sample.profile.operations.push_back(operation);
  }
  const Ranking ranking = ranked(sample.profile);
  ASSERT_EQ(ranking.kernels.size(), 2U);
  EXPECT_EQ(ranking.kernels[0].launches, 2);
  EXPECT_EQ(ranking.kernels[0].operation->product->m, 64);
}

TEST(Ranking, TellsHowNearAProductIsToItsLimitWhereTheDeviceIsKnown) {
  SampleProfile sample;
  driver::DeviceInfo& device = sample.profile.devices[0];
  device.major = 9;
  device.multiprocessors = 132;
  device.clock_mhz = 1980;
  device.memory_clock_mhz = 3201;
  device.memory_bus_bits = 6016;
  Product product;
  product.m = product.n = product.k = 4096;
  product.a_type = product.b_type = product.c_type = product.d_type = "R_16BF";
  product.beta = 0;
  sample.profile.operations.push_back(
      {.name = "cublasLtMatmul", .dims = {}, .types = {}, .product = product});
  sample.launch("gemm", 0, 200'000).operation = 0;
  const Ranking ranking = ranked(sample.profile);
  ASSERT_TRUE(ranking.kernels[0].limit);
  EXPECT_EQ(ranking.kernels[0].limit->bound, "compute");
  EXPECT_THAT(ranking.kernels[0].limit->flops, DoubleEq(2.0 * 4096 * 4096 * 4096));
  // 137 GFLOP at 1,070 TFLOP/s, 132 multiprocessors of 4,096 operations at 1.98 GHz.
  EXPECT_THAT(ranking.kernels[0].limit->least_us, DoubleNear(128.4, 0.1));
}

TEST(Ranking, OfNothingIsEmpty) {
  const Ranking ranking = ranked({});
  EXPECT_TRUE(ranking.kernels.empty());
  EXPECT_EQ(ranking.totals.idle_share, 0);
}

}  // namespace
}  // namespace autokernel::programs
