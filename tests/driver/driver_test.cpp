#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autokernel/base/error.h"
#include "driver/sound_driver.h"

namespace autokernel::driver {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Driver, ReportsWhatTheDeviceSays) {
  const Driver driver(std::make_shared<const Api>(sound_driver()), Origin::gpu, 0);

  EXPECT_EQ(driver.info().name, "NVIDIA H200");
  EXPECT_EQ(driver.info().major, 9);
  EXPECT_EQ(driver.info().minor, 0);
  EXPECT_FALSE(driver.info().emulated);
  EXPECT_EQ(driver.info().multiprocessors, 132);
  EXPECT_EQ(driver.info().clock_mhz, 1980);
  EXPECT_EQ(driver.info().memory_clock_mhz, 3201);
  EXPECT_EQ(driver.info().memory_bus_bits, 6144);
  EXPECT_EQ(driver.info().l2_bytes, 50U << 20U);
  EXPECT_EQ(driver.info().driver_version, "13.0");
}

TEST(Driver, TakesTheEmulatorsOwnVersion) {
  Api api = sound_driver();
  api.emu_version = [] { return "emulator 7"; };

  EXPECT_EQ(Driver(std::make_shared<const Api>(api), Origin::emulator, 0).info().driver_version,
            "emulator 7");
}

TEST(Driver, TakesTheEmulatorsSettingsWhereItTellsThem) {
  Api api = sound_driver();
  const auto settings = [&] {
    return Driver(std::make_shared<const Api>(api), Origin::emulator, 0).info().settings;
  };
  EXPECT_EQ(settings(), "");
  api.emu_settings = [] { return static_cast<const char*>(nullptr); };
  EXPECT_EQ(settings(), "");
  api.emu_settings = [] { return "engine warps"; };
  EXPECT_EQ(settings(), "engine warps");
}

TEST(Driver, OfATimeBeforeCuda12IsRefusedWithTheRemedy) {
  Api api = sound_driver();
  api.driver_get_version = [](int* version) {
    *version = 11040;
    return CUDA_SUCCESS;
  };
  try {
    const Driver driver(std::make_shared<const Api>(api), Origin::gpu, 0);
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::environment);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("11.4"), HasSubstr("CUDA 12.4 or later"),
                                    HasSubstr("[cuDriverGetVersion]")));
  }
}

TEST(Driver, NamesTheAttributeThatCannotBeRead) {
  Api api = sound_driver();
  api.device_get_attribute = [](int*, CUdevice_attribute, CUdevice) {
    return CUDA_ERROR_INVALID_DEVICE;
  };
  try {
    const Driver driver(std::make_shared<const Api>(api), Origin::gpu, 0);
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::environment);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("attribute 75"), HasSubstr("101"),
                                    HasSubstr("[cuDeviceGetAttribute]")));
  }
}

// The number is one that no machine reaches, so that this holds with and without GPUs.
TEST(Driver, NamesTheRemedyWhereThereIsNoSuchGpu) {
  try {
    static_cast<void>(Driver::open({DeviceChoice::Kind::cuda, 1'000'000}));
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::environment);
    EXPECT_THAT(error.what(), HasSubstr("--device c"));
  }
}

}  // namespace
}  // namespace autokernel::driver
