#include "autokernel/driver/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "autokernel/base/error.h"
#include "driver/sound_driver.h"

namespace autokernel::driver {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// One call that fails, what is done to meet it, and the name it goes by.
struct Failing {
  std::string call;
  std::function<void(Api&)> breakage;
  std::function<void(const Device&)> use;
};

class FailingCall : public ::testing::TestWithParam<Failing> {};

TEST_P(FailingCall, IsAnEnvironmentErrorThatNamesCallCodeAndText) {
  Api api = sound_driver();
  GetParam().breakage(api);
  try {
    const Opened opened(api);
    GetParam().use(opened.device);
    FAIL() << "went unnoticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::environment);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("cannot "), HasSubstr("words of the driver"),
                                    HasSubstr("(CUDA_ERROR_OUT_OF_MEMORY, 2)"),
                                    HasSubstr("[" + GetParam().call + "]")));
  }
}

constexpr CUresult kFailure = CUDA_ERROR_OUT_OF_MEMORY;
const auto kNothing = [](const Device&) {};

INSTANTIATE_TEST_SUITE_P(
    Each, FailingCall,
    ::testing::Values(
        Failing{"cuDeviceGet",
                [](Api& a) { a.device_get = [](CUdevice*, int) { return kFailure; }; }, kNothing},
        Failing{"cuDeviceGetName",
                [](Api& a) { a.device_get_name = [](char*, int, CUdevice) { return kFailure; }; },
                kNothing},
        Failing{
            "cuDeviceTotalMem",
            [](Api& a) { a.device_total_mem = [](std::size_t*, CUdevice) { return kFailure; }; },
            kNothing},
        Failing{"cuDriverGetVersion",
                [](Api& a) { a.driver_get_version = [](int*) { return kFailure; }; }, kNothing},
        Failing{"cuDevicePrimaryCtxRetain",
                [](Api& a) {
                  a.primary_context_retain = [](CUcontext*, CUdevice) { return kFailure; };
                },
                kNothing},
        Failing{"cuCtxSetCurrent",
                [](Api& a) { a.context_set_current = [](CUcontext) { return kFailure; }; },
                kNothing},
        Failing{
            "cuMemAlloc",
            [](Api& a) { a.memory_allocate = [](CUdeviceptr*, std::size_t) { return kFailure; }; },
            [](const Device& d) { static_cast<void>(d.allocate(16)); }},
        Failing{"cuMemHostAlloc",
                [](Api& a) {
                  a.host_memory_allocate = [](void**, std::size_t, unsigned) { return kFailure; };
                },
                [](const Device& d) { static_cast<void>(d.allocate_mapped(16)); }},
        Failing{"cuMemHostGetDevicePointer",
                [](Api& a) {
                  a.host_memory_device_pointer = [](CUdeviceptr*, void*, unsigned) {
                    return kFailure;
                  };
                },
                [](const Device& d) { static_cast<void>(d.allocate_mapped(16)); }},
        Failing{"cuStreamCreate",
                [](Api& a) { a.stream_create = [](CUstream*, unsigned) { return kFailure; }; },
                [](const Device& d) { static_cast<void>(d.make_stream()); }},
        Failing{"cuEventCreate",
                [](Api& a) { a.event_create = [](CUevent*, unsigned) { return kFailure; }; },
                [](const Device& d) { static_cast<void>(d.make_event()); }},
        Failing{"cuMemcpyHtoD",
                [](Api& a) {
                  a.copy_to_device = [](CUdeviceptr, const void*, std::size_t) { return kFailure; };
                },
                [](const Device& d) { d.copy_in(1, {}); }},
        Failing{"cuMemcpyDtoH",
                [](Api& a) {
                  a.copy_to_host = [](void*, CUdeviceptr, std::size_t) { return kFailure; };
                },
                [](const Device& d) { d.copy_out({}, 1); }},
        Failing{"cuCtxResetPersistingL2Cache",
                [](Api& a) { a.context_reset_persisting_l2 = [] { return kFailure; }; },
                [](const Device& d) { d.reset_persisting_l2(); }},
        Failing{"cuCtxSetLimit",
                [](Api& a) { a.context_set_limit = [](CUlimit, std::size_t) { return kFailure; }; },
                [](const Device& d) { d.refuse_device_malloc(); }}),
    [](const auto& tested) { return tested.param.call; });

TEST(Device, SaysWhichFunctionAnOldDriverLacks) {
  Api api = sound_driver();
  api.host_memory_allocate = nullptr;
  const Opened opened(api);
  try {
    static_cast<void>(opened.device.allocate_mapped(4));
    FAIL() << "allocated";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("lacks cuMemHostAlloc"));
  }
}

TEST(Device, AsksNothingOfTheEmulatedDeviceThatOnlyHardwareHas) {
  Api api = sound_driver();
  api.context_reset_persisting_l2 = nullptr;
  const Opened opened(api, Origin::emulator);

  EXPECT_NO_THROW(opened.device.reset_persisting_l2());
}

TEST(Device, TakesTheHeapOfMallocAwayOnTheEmulatedDeviceToo) {
  static std::size_t bytes;
  bytes = 8;
  Api api = sound_driver();
  api.context_set_limit = [](CUlimit limit, std::size_t value) {
    if (limit == CU_LIMIT_MALLOC_HEAP_SIZE) bytes = value;
    return CUDA_SUCCESS;
  };
  const Opened opened(api, Origin::emulator);

  opened.device.refuse_device_malloc();

  EXPECT_EQ(bytes, 0);
}

TEST(Device, HasNoPersistingLinesToResetWhereTheHardwareKnowsNone) {
  Api api = sound_driver();
  api.context_reset_persisting_l2 = [] { return CUDA_ERROR_NOT_SUPPORTED; };
  const Opened opened(api);

  EXPECT_NO_THROW(opened.device.reset_persisting_l2());
}

TEST(Device, ReleasesNothingTwiceAndSurvivesAFreeThatFails) {
  static int frees = 0;
  frees = 0;
  Api api = sound_driver();
  api.memory_free = [](CUdeviceptr) {
    ++frees;
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  };
  const Opened opened(api);
  {
    Buffer first = opened.device.allocate(8);
    const Buffer second = std::move(first);
  }
  EXPECT_EQ(frees, 1);
}

}  // namespace
}  // namespace autokernel::driver
