#include "autokernel/driver/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "autokernel/base/error.h"
#include "driver/sound_driver.h"
#include "support/present.h"

namespace autokernel::driver {
namespace {

constexpr std::array<std::byte, 4> kImage{};

TEST(Module, TheDriversLogIsTheReasonWhyCodeIsRefused) {
  Api api = sound_driver();
  api.module_load_data = [](CUmodule*, const void*, unsigned count, CUjit_option* options,
                            void** values) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
        std::strcpy(static_cast<char*>(values[i]), "line 12: no such thing");
    }
    return CUDA_ERROR_INVALID_PTX;
  };
  const Opened opened(api);

  const Loading loading = opened.device.load(kImage);

  ASSERT_TRUE(std::holds_alternative<Fault>(loading));
  EXPECT_EQ(std::get<Fault>(loading).text, "line 12: no such thing");
  EXPECT_EQ(std::get<Fault>(loading).code, CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(std::get<Fault>(loading).occasion, Occasion::load);
}

TEST(Module, ALostDeviceWhileLoadingIsAnError) {
  Api api = sound_driver();
  api.module_load_data = [](CUmodule*, const void*, unsigned, CUjit_option*, void**) {
    return CUDA_ERROR_DEVICE_UNAVAILABLE;
  };
  const Opened opened(api);

  EXPECT_THROW(static_cast<void>(opened.device.load(kImage)), Error);
}

TEST(Module, AKernelThatIsNotThereIsNoError) {
  Api api = sound_driver();
  api.module_get_function = [](CUfunction*, CUmodule, const char*) { return CUDA_ERROR_NOT_FOUND; };
  const Opened opened(api);
  const Loading loading = opened.device.load(kImage);

  EXPECT_FALSE(std::get<Module>(loading).kernel("matmul").has_value());
}

TEST(Module, AnObjectThatCannotBeResolvedIsNoError) {
  Api api = sound_driver();
  api.module_get_global = [](CUdeviceptr*, std::size_t*, CUmodule, const char*) {
    return CUDA_ERROR_NOT_FOUND;
  };
  const Opened opened(api);
  const Loading loading = opened.device.load(kImage);

  EXPECT_FALSE(std::get<Module>(loading).object("table").has_value());
}

TEST(Module, AnObjectHasAnAddressAndASize) {
  const Opened opened(sound_driver());
  const Loading loading = opened.device.load(kImage);

  const auto object = std::get<Module>(loading).object("table");

  EXPECT_EQ(test::present(object).bytes, 64U);
}

}  // namespace
}  // namespace autokernel::driver
