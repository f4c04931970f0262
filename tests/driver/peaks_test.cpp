#include <gtest/gtest.h>

#include "autokernel/driver/device_info.h"
#include "support/present.h"

namespace autokernel::driver {
namespace {

DeviceInfo gpu(int major, int minor, int multiprocessors, double clock_mhz) {
  DeviceInfo info;
  info.major = major;
  info.minor = minor;
  info.multiprocessors = multiprocessors;
  info.clock_mhz = clock_mhz;
  return info;
}

// The numbers the vendor publishes for whole products.
TEST(Peak, OfAnH100IsWhatItsWhitepaperSays) {
  const DeviceInfo h100 = gpu(9, 0, 132, 1830);
  EXPECT_NEAR(test::present(peak_tflops(h100, Arithmetic::bf16)), 989.4, 1);
  EXPECT_NEAR(test::present(peak_tflops(h100, Arithmetic::tf32)), 494.7, 1);
}

TEST(Peak, OfAnA100IsWhatItsWhitepaperSays) {
  const DeviceInfo a100 = gpu(8, 0, 108, 1410);
  EXPECT_NEAR(test::present(peak_tflops(a100, Arithmetic::f16)), 312, 1);
  EXPECT_NEAR(test::present(peak_tflops(a100, Arithmetic::f32)), 19.5, 0.1);
}

TEST(Peak, OfAV100HasNoBf16) {
  EXPECT_FALSE(peak_tflops(gpu(7, 0, 80, 1530), Arithmetic::bf16).has_value());
}

TEST(Peak, IsUnknownForACapabilityThatIsNotInTheTable) {
  EXPECT_FALSE(peak_tflops(gpu(99, 0, 100, 1000), Arithmetic::f32).has_value());
}

TEST(Peak, DoesNotExistOnTheEmulatedDevice) {
  DeviceInfo emulated = gpu(9, 0, 2, 3000);
  emulated.emulated = true;
  emulated.memory_clock_mhz = 3000;
  emulated.memory_bus_bits = 64;
  EXPECT_FALSE(peak_tflops(emulated, Arithmetic::f32).has_value());
  EXPECT_FALSE(peak_gbytes_s(emulated).has_value());
}

TEST(Peak, OfMemoryCountsBothEdgesOfTheClock) {
  DeviceInfo h200 = gpu(9, 0, 132, 1980);
  h200.memory_clock_mhz = 3201;
  h200.memory_bus_bits = 6144;
  EXPECT_NEAR(test::present(peak_gbytes_s(h200)), 4917, 1);
}

}  // namespace
}  // namespace autokernel::driver
