// What NVML says, by a library whose GPU is as the test wants it.
#include "autokernel/driver/telemetry.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "support/present.h"

namespace autokernel::driver {
namespace {

using test::present;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::optional<Telemetry> telemetry_of_gpu_that_is(const char* what) {
  ::setenv("AUTOKERNEL_TEST_NVML", what, 1);  // NOLINT(concurrency-mt-unsafe): one thread
  std::string why;
  return Telemetry::open(why, FAKE_NVML_LIBRARY);
}

TEST(Telemetry, SaysThatThereIsNoNvml) {
  std::string why;
  EXPECT_FALSE(Telemetry::open(why, "/no/such/libnvidia-ml.so.1"));
  EXPECT_THAT(why, HasSubstr("/no/such/libnvidia-ml.so.1"));
}

TEST(Telemetry, SaysThatALibraryIsNotNvml) {
  std::string why;
  EXPECT_FALSE(Telemetry::open(why, "libm.so.6"));
  EXPECT_THAT(why, HasSubstr("nvmlInit_v2"));
}

TEST(Telemetry, GivesNvmlsOwnWordsWhereItDoesNotStart) {
  ::setenv("AUTOKERNEL_TEST_NVML", "fails", 1);  // NOLINT(concurrency-mt-unsafe): one thread
  std::string why;
  EXPECT_FALSE(Telemetry::open(why, FAKE_NVML_LIBRARY));
  EXPECT_EQ(why, "Driver Not Loaded (9) [nvmlInit]");
}

TEST(Telemetry, NamesTheGpus) {
  const auto telemetry = telemetry_of_gpu_that_is("well");
  EXPECT_EQ(present(telemetry).driver_version(), "580.65.06");
  const auto gpus = present(telemetry).gpus();
  ASSERT_THAT(gpus, SizeIs(1));
  EXPECT_EQ(gpus[0].name, "NVIDIA Fake");
  EXPECT_EQ(gpus[0].uuid, "GPU-1234");
  EXPECT_EQ(gpus[0].pci_bus_id, "00000000:1B:00.0");
}

TEST(Telemetry, ReadsClocksPowerAndHeat) {
  const auto telemetry = telemetry_of_gpu_that_is("well");
  const GpuState state = present(telemetry).state(0);
  EXPECT_EQ(state.sm_clock_mhz, 345U);
  EXPECT_EQ(state.memory_clock_mhz, 2619U);
  EXPECT_EQ(state.throttle_reasons, Throttle::kIdle);
  EXPECT_EQ(state.power_watts, 75.5);
  EXPECT_EQ(state.celsius, 31U);
}

TEST(Telemetry, ReadsHighestClocksAndLimits) {
  const auto telemetry = telemetry_of_gpu_that_is("well");
  const GpuSettings settings = present(telemetry).settings(0);
  EXPECT_EQ(settings.highest_sm_clock_mhz, 1980U);
  EXPECT_EQ(settings.highest_memory_clock_mhz, 3201U);
  EXPECT_EQ(settings.persistence, true);
  EXPECT_EQ(settings.power_limit_watts, 700);
  EXPECT_EQ(settings.default_power_limit_watts, 700);
  EXPECT_FALSE(present(settings.mig).on);
}

TEST(Telemetry, LeavesEmptyWhatTheGpuDoesNotTell) {
  const auto telemetry = telemetry_of_gpu_that_is("mute");
  const GpuState state = present(telemetry).state(0);
  EXPECT_FALSE(state.sm_clock_mhz);
  const GpuSettings settings = present(telemetry).settings(0);
  EXPECT_FALSE(settings.persistence);
  EXPECT_FALSE(state.throttle_reasons);
  EXPECT_FALSE(state.power_watts);
  EXPECT_FALSE(state.celsius);
  EXPECT_FALSE(settings.mig);
  EXPECT_FALSE(present(telemetry).processes(0));
}

TEST(Telemetry, HasNothingToSayOfAGpuThatIsNotThere) {
  const auto telemetry = telemetry_of_gpu_that_is("well");
  EXPECT_FALSE(present(telemetry).state(1).sm_clock_mhz);
  EXPECT_FALSE(present(telemetry).settings(1).highest_sm_clock_mhz);
  EXPECT_FALSE(present(telemetry).processes(1));
}

TEST(Telemetry, FindsTheSlicesOfAGpuInMigMode) {
  EXPECT_THAT(present(present(telemetry_of_gpu_that_is("sliced")).settings(0).mig).instances,
              ElementsAre("MIG-first", "MIG-second"));
  EXPECT_THAT(present(present(telemetry_of_gpu_that_is("mig")).settings(0).mig).instances,
              IsEmpty());
}

TEST(Telemetry, ListsThePrograms) {
  EXPECT_THAT(present(present(telemetry_of_gpu_that_is("well")).processes(0)), IsEmpty());
  const auto telemetry = telemetry_of_gpu_that_is("busy");
  const auto processes = present(present(telemetry).processes(0));
  ASSERT_THAT(processes, SizeIs(3));
  EXPECT_EQ(processes[0].id, 4711U);
  EXPECT_EQ(processes[0].memory_bytes, 3ULL << 30U);
  EXPECT_FALSE(processes[1].memory_bytes);
}

TEST(PciAddress, IsTheSameInBothSpellings) {
  EXPECT_TRUE(same_pci_address("0000:1B:00.0", "00000000:1b:00.0"));
  EXPECT_FALSE(same_pci_address("0000:1B:00.0", "00000000:1C:00.0"));
  EXPECT_FALSE(same_pci_address("0001:1B:00.0", "00000000:1B:00.0"));
  EXPECT_FALSE(same_pci_address("", ""));
}

TEST(ThrottleReasons, HaveNamesThatAreFoundAgain) {
  EXPECT_THAT(throttle_names(Throttle::kPowerCap | Throttle::kHeatByHardware),
              ElementsAre("power_cap", "heat_by_hardware"));
  const std::uint64_t all = 0xFF;
  EXPECT_THAT(throttle_names(all), SizeIs(8));
  EXPECT_EQ(throttle_named(throttle_names(all)), all);
  EXPECT_EQ(throttle_named({"of a later NVML"}), 0U);
}

TEST(ThrottleReasons, AreSaidInWordsButForIdleness) {
  EXPECT_EQ(throttle_words(Throttle::kIdle), "");
  EXPECT_EQ(throttle_words(Throttle::kIdle | Throttle::kHardware | Throttle::kHeatBySoftware),
            "it is too hot, the board slows it down");
}

}  // namespace
}  // namespace autokernel::driver
