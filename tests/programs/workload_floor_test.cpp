// The least times of a workload on a device, and the devices that are known.
#include "autokernel/programs/workload_floor.h"

#include <gmock/gmock.h>

#include <numeric>

#include "autokernel/driver/units.h"
#include "autokernel/programs/known_devices.h"
#include "programs/workload_sample.h"

namespace autokernel::programs {
namespace {

// Rates in 10^12 per second, bandwidths in 10^9 bytes per second, as NVIDIA's datasheets have them:
// rounded, the rate of the L40S by 1.2 %.
testing::Matcher<double> published(double value) {
  return testing::DoubleNear(value, value * 1.5 / 100);
}
double bf16_of(const std::string& device) {
  return driver::peak_tflops(known_device(device), driver::Unit::tensor_bf16).value_or(0);
}
double memory_of(const std::string& device) {
  return driver::peak_gbytes_s(known_device(device)).value_or(0);
}

TEST(KnownDevices, HaveThePublishedRatesOfTensorCores) {
  EXPECT_THAT(bf16_of("a100-sxm"), published(312));
  EXPECT_THAT(bf16_of("h100-sxm"), published(989));
  EXPECT_THAT(bf16_of("h200"), published(989));
  EXPECT_THAT(bf16_of("b200"), published(2250));
  EXPECT_THAT(bf16_of("rtx-4090"), published(165.2));
  EXPECT_THAT(bf16_of("l40s"), published(362));
}

TEST(KnownDevices, HaveThePublishedBandwidths) {
  EXPECT_THAT(memory_of("a100-sxm"), published(2039));
  EXPECT_THAT(memory_of("h100-sxm"), published(3350));
  EXPECT_THAT(memory_of("h200"), published(4800));
  EXPECT_THAT(memory_of("b200"), published(8000));
  EXPECT_THAT(memory_of("rtx-4090"), published(1008));
  EXPECT_THAT(memory_of("l40s"), published(864));
}

TEST(KnownDevices, ThatAreMistypedGetTheNearestAndAllThatThereAre) {
  EXPECT_EQ(refusal_of([] { return known_device("h100-smx"); }),
            "the peaks of device h100-smx are not known, did you mean h100-sxm?; known are "
            "a100-sxm, h100-sxm, h200, b200, rtx-4090, l40s");
}

TEST(WorkloadFloor, IsTheLongerOfComputingAndMoving) {
  const Workload prefill = read_workload("llama-7b", {.scenario = "prefill"}, box());
  const auto floors = floors_of(prefill, known_device("h100-sxm"));

  ASSERT_EQ(floors.size(), prefill.operations.size());
  EXPECT_EQ(prefill.operations[2].name, "qkv");
  EXPECT_EQ(floors[2].bound, "compute");
  EXPECT_THAT(floors[2].floor_us, published(2.0 * 2048 * 12288 * 4096 / 989e6));
  EXPECT_DOUBLE_EQ(floors[2].total_us, 32 * floors[2].floor_us);
  EXPECT_EQ(prefill.operations[1].name, "first_norm");
  EXPECT_EQ(floors[1].bound, "memory");
  EXPECT_THAT(floors[1].floor_us, published(2.0 * 2 * 2048 * 4096 / 3350e3));
}

TEST(WorkloadFloor, OfDecodingIsTheTimeToReadTheWeights) {
  const Workload decode = read_workload("llama-7b", {}, box());
  double all_us = 0;
  for (const OperationFloor& each : floors_of(decode, known_device("h100-sxm")))
    all_us += each.total_us;

  // 14.3 GB at 3.35 TB/s.
  EXPECT_THAT(all_us, published(14.3e9 / 3350e3));
}

TEST(WorkloadFloor, SharesAddUpToOne) {
  const Workload gemma = read_workload("gemma-3-12b", {}, box());
  const auto floors = floors_of(gemma, known_device("l40s"));

  EXPECT_NEAR(std::accumulate(floors.begin(), floors.end(), 0.0,
                              [](double sum, const auto& each) { return sum + each.share; }),
              1, 1e-12);
}

TEST(WorkloadFloor, IsNotKnownOnTheEmulatedDevice) {
  const Workload gpt2 = read_workload("gpt2", {}, box());
  driver::DeviceInfo device;
  device.name = "emulated";
  device.emulated = true;
  EXPECT_EQ(refusal_of([&] { return floors_of(gpt2, device); }),
            "cannot say how long token_embedding takes on emulated at least: the peaks of the "
            "emulated device are not known; name another device");
}

TEST(WorkloadFloor, IsNotKnownWhereTheDeviceLacksTheUnit) {
  const Workload fp8 =
      parse_workload(replaced(workload_sample(), R"("linear")", R"("linear_fp8")"), "own.toml");
  EXPECT_EQ(refusal_of([&] { return floors_of(fp8, known_device("a100-sxm")); }),
            "cannot say how long up takes on NVIDIA A100-SXM4-80GB at least: it has no tensor fp8, "
            "or its peak is not known; name another device");
}

}  // namespace
}  // namespace autokernel::programs
