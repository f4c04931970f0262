// A fresh context on the emulated device for each test, through the library's exported functions
// alone.
#pragma once

#include <cuda.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "emulated_cuda.h"

namespace emulator::api {

// A handle that nobody ever made.
template <typename Handle>
[[nodiscard]] Handle made_up() {
  return std::bit_cast<Handle>(std::uintptr_t{0x5678});
}

class EmulatedDevice : public testing::Test {
 protected:
  void SetUp() override {
    // What is tested is what this build compiles.
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuDeviceGet(&device, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate(&context, nullptr, 0, device), CUDA_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(cuCtxDestroy(context), CUDA_SUCCESS); }

  // A module of the kernels given, behind the usual first lines.
  static std::string ptx(const std::string& kernels) {
    return ".version 8.0\n.target sm_90\n.address_size 64\n" + kernels;
  }
  static CUmodule load(const std::string& kernels) {
    CUmodule module = nullptr;
    std::string log(4096, '\0');
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log.data(), std::bit_cast<void*>(log.size())};
    EXPECT_EQ(cuModuleLoadDataEx(&module, ptx(kernels).c_str(), 2, options, values), CUDA_SUCCESS)
        << log;
    return module;
  }
  static CUfunction kernel(CUmodule module, const char* name) {
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    return function;
  }
  // The only kernel of a module made of `text`, which calls it "k".
  static CUfunction kernel(const std::string& text) { return kernel(load(text), "k"); }

  struct Shape {
    unsigned grid = 1;
    unsigned block = 32;
    unsigned shared_bytes = 0;
    CUstream stream = nullptr;
  };
  template <typename... Arguments>
  static CUresult launch(CUfunction function, const Shape& shape, Arguments... arguments) {
    void* pointers[] = {&arguments..., nullptr};
    return cuLaunchKernel(function, shape.grid, 1, 1, shape.block, 1, 1, shape.shared_bytes,
                          shape.stream, pointers, nullptr);
  }

  static CUdeviceptr allocate(std::size_t bytes) {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAlloc(&address, bytes), CUDA_SUCCESS);
    return address;
  }
  static std::vector<std::uint32_t> read(CUdeviceptr address, std::size_t count) {
    std::vector<std::uint32_t> words(count);
    EXPECT_EQ(cuMemcpyDtoH(words.data(), address, count * sizeof(std::uint32_t)), CUDA_SUCCESS);
    return words;
  }

  CUdevice device = -1;
  CUcontext context = nullptr;
};

// out[i] = i for every thread i of the grid.
inline constexpr const char* kStoreIndex = R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<5>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd2, %rd3;
  st.global.u32 [%rd4], %r4;
  ret;
})";

// Spins until *flag is 1; flag is page-locked host memory.
inline constexpr const char* kWaitForFlag = R"(
.visible .entry k(.param .u64 flag) {
  .reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [flag];
LOOP:
  ld.volatile.global.u32 %r1, [%rd1];
  setp.ne.u32 %p1, %r1, 1;
  @%p1 bra LOOP;
  ret;
})";

}  // namespace emulator::api
