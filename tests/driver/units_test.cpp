#include "autokernel/driver/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace autokernel::driver {
namespace {

using testing::IsEmpty;

struct Product {
  const char* name;
  int major;
  int minor;
  int multiprocessors;
  double clock_mhz;
};
struct Published {
  Unit unit;
  double tflops;
};

[[nodiscard]] DeviceInfo device_of(const Product& product) {
  DeviceInfo info;
  info.name = product.name;
  info.major = product.major;
  info.minor = product.minor;
  info.multiprocessors = product.multiprocessors;
  info.clock_mhz = product.clock_mhz;
  return info;
}

// The units whose peak is further than 2 % from what the vendor publishes, or missing.
[[nodiscard]] std::vector<std::string> differing(const Product& product,
                                                 const std::vector<Published>& published) {
  constexpr double kTolerance = 0.02;
  std::vector<std::string> found;
  for (const auto& [unit, tflops] : published) {
    const double peak = peak_tflops(device_of(product), unit).value_or(0);
    if (std::abs(peak - tflops) > kTolerance * tflops) {
      found.push_back(std::string(spelling(unit)) + " " + std::to_string(peak));
    }
  }
  return found;
}

TEST(Units, OfAnH100AreWhatItsWhitepaperSays) {
  EXPECT_THAT(differing({"NVIDIA H100 80GB HBM3", 9, 0, 132, 1830}, {{Unit::tensor_fp16, 989.4},
                                                                     {Unit::tensor_bf16, 989.4},
                                                                     {Unit::tensor_tf32, 494.7},
                                                                     {Unit::tensor_fp8, 1978.9},
                                                                     {Unit::tensor_int8, 1978.9}}),
              IsEmpty());
  // Without tensor cores the clock is higher.
  EXPECT_THAT(differing({"NVIDIA H100 80GB HBM3", 9, 0, 132, 1980}, {{Unit::tensor_fp64, 66.9},
                                                                     {Unit::fp32, 66.9},
                                                                     {Unit::fp64, 33.5},
                                                                     {Unit::fp16, 133.8},
                                                                     {Unit::bf16, 133.8},
                                                                     {Unit::int32, 33.5}}),
              IsEmpty());
}

TEST(Units, OfAnA100AreWhatItsWhitepaperSays) {
  EXPECT_THAT(differing({"NVIDIA A100-SXM4-80GB", 8, 0, 108, 1410}, {{Unit::tensor_fp16, 312},
                                                                     {Unit::tensor_bf16, 312},
                                                                     {Unit::tensor_tf32, 156},
                                                                     {Unit::tensor_int8, 624},
                                                                     {Unit::tensor_int4, 1248},
                                                                     {Unit::tensor_fp64, 19.5},
                                                                     {Unit::fp32, 19.5},
                                                                     {Unit::fp64, 9.7},
                                                                     {Unit::fp16, 78},
                                                                     {Unit::bf16, 39},
                                                                     {Unit::int32, 19.5}}),
              IsEmpty());
}

TEST(Units, OfATeslaT4AreWhatItsDatasheetSays) {
  EXPECT_THAT(differing({"Tesla T4", 7, 5, 40, 1590}, {{Unit::tensor_fp16, 65},
                                                       {Unit::tensor_int8, 130},
                                                       {Unit::tensor_int4, 260},
                                                       {Unit::fp32, 8.1}}),
              IsEmpty());
}

TEST(Units, OfAB200AreWhatItsDatasheetSays) {
  EXPECT_THAT(differing({"NVIDIA B200", 10, 0, 148, 1850}, {{Unit::tensor_fp4, 9000},
                                                            {Unit::tensor_fp8, 4500},
                                                            {Unit::tensor_int8, 4500},
                                                            {Unit::tensor_bf16, 2250},
                                                            {Unit::tensor_tf32, 1125}}),
              IsEmpty());
  EXPECT_THAT(differing({"NVIDIA B200", 10, 0, 148, 1965}, {{Unit::fp64, 37}, {Unit::fp32, 75}}),
              IsEmpty());
}

TEST(Units, OfAB300HaveFastFp4AndSlowFp64) {
  EXPECT_THAT(differing({"NVIDIA B300 SXM6 AC", 10, 3, 148, 1850},
                        {{Unit::tensor_fp4, 13500}, {Unit::tensor_fp8, 4500}}),
              IsEmpty());
}

TEST(Units, OfProfessionalCardsAreWhatTheirDatasheetsSay) {
  EXPECT_THAT(differing({"NVIDIA A40", 8, 6, 84, 1740},
                        {{Unit::tensor_fp16, 149.7}, {Unit::tensor_int8, 299.3}}),
              IsEmpty());
  EXPECT_THAT(differing({"NVIDIA L40S", 8, 9, 142, 2520},
                        {{Unit::tensor_bf16, 362}, {Unit::tensor_fp8, 733}, {Unit::fp32, 91.6}}),
              IsEmpty());
  EXPECT_THAT(
      differing({"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 12, 0, 188, 2617},
                {{Unit::tensor_fp4, 2015}, {Unit::tensor_fp8, 1007.6}, {Unit::tensor_fp16, 503.8}}),
      IsEmpty());
  EXPECT_THAT(differing({"Orin", 8, 7, 16, 1300}, {{Unit::tensor_int8, 85}, {Unit::fp32, 5.3}}),
              IsEmpty());
  EXPECT_THAT(differing({"NVIDIA GB10", 12, 1, 48, 2500}, {{Unit::tensor_fp4, 500}}), IsEmpty());
}

TEST(Units, OfAGeForceAddUpInFp32AtHalfTheRate) {
  EXPECT_THAT(
      differing({"NVIDIA GeForce RTX 4090", 8, 9, 128, 2520}, {{Unit::tensor_fp16_in_fp16, 330.3},
                                                               {Unit::tensor_fp16, 165.2},
                                                               {Unit::tensor_bf16, 165.2},
                                                               {Unit::tensor_tf32, 82.6},
                                                               {Unit::tensor_fp8_in_fp16, 660.6},
                                                               {Unit::tensor_fp8, 330.3},
                                                               {Unit::tensor_int8, 660.6},
                                                               {Unit::fp32, 82.6},
                                                               {Unit::int32, 41.3}}),
      IsEmpty());
  EXPECT_THAT(
      differing({"NVIDIA GeForce RTX 3090", 8, 6, 82, 1695}, {{Unit::tensor_fp16_in_fp16, 142},
                                                              {Unit::tensor_bf16, 71},
                                                              {Unit::tensor_tf32, 35.6},
                                                              {Unit::int32, 17.8}}),
      IsEmpty());
  EXPECT_THAT(
      differing({"NVIDIA GeForce RTX 5090", 12, 0, 170, 2407}, {{Unit::tensor_fp4, 1676},
                                                                {Unit::tensor_fp8, 419},
                                                                {Unit::tensor_fp16_in_fp16, 419},
                                                                {Unit::tensor_bf16, 209.5},
                                                                {Unit::tensor_int8, 838},
                                                                {Unit::int32, 104.8}}),
      IsEmpty());
}

TEST(Units, ThatADeviceLacksHaveNoPeak) {
  const DeviceInfo t4 = device_of({"Tesla T4", 7, 5, 40, 1590});
  EXPECT_FALSE(peak_tflops(t4, Unit::tensor_bf16));
  EXPECT_FALSE(peak_tflops(t4, Unit::tensor_fp8));
  EXPECT_FALSE(peak_tflops(device_of({"NVIDIA H100", 9, 0, 132, 1830}), Unit::tensor_fp4));
}

TEST(Units, WhoseRateIsNotPublishedHaveNoPeak) {
  EXPECT_FALSE(peak_tflops(device_of({"NVIDIA H100", 9, 0, 132, 1830}), Unit::dp4a));
  EXPECT_FALSE(peak_tflops(device_of({"NVIDIA B300", 10, 3, 148, 1850}), Unit::tensor_int8));
  EXPECT_FALSE(peak_tflops(device_of({"of the future", 99, 0, 100, 1000}), Unit::fp32));
}

TEST(Units, OfTheEmulatedDeviceHaveNoPeak) {
  DeviceInfo emulated = device_of({"CPU", 9, 0, 2, 3000});
  emulated.emulated = true;
  EXPECT_FALSE(peak_tflops(emulated, Unit::fp32));
}

TEST(Units, HaveNamesThatDiffer) {
  std::set<std::string> names;
  for (int i = 0; i < kUnits; ++i) names.insert(spelling(static_cast<Unit>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kUnits));
}

}  // namespace
}  // namespace autokernel::driver
