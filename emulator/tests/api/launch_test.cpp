#include <atomic>
#include <cstring>
#include <numeric>

#include "api/emulated_device.h"

namespace emulator::api {
namespace {

// Each thread writes its index to dynamic shared memory and, after a barrier, stores its
// neighbour's.
constexpr const char* kSharedExchange = R"(
.extern .shared .align 16 .b8 exchange[];
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ntid.x;
  shl.b32 %r3, %r1, 2;
  mov.u32 %r4, exchange;
  add.s32 %r5, %r4, %r3;
  st.shared.u32 [%r5], %r1;
  bar.sync 0;
  xor.b32 %r6, %r3, 128;
  add.s32 %r7, %r4, %r6;
  ld.shared.u32 %r8, [%r7];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r8;
  ret;
})";

using Launches = EmulatedDevice;

TEST_F(Launches, RunEveryThreadOfTheGrid) {
  const CUdeviceptr out = allocate(12672);

  EXPECT_EQ(launch(kernel(kStoreIndex), {.grid = 33, .block = 96}, out), CUDA_SUCCESS);

  std::vector<std::uint32_t> expected(std::size_t{96} * 33);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(read(out, expected.size()), expected);
}

TEST_F(Launches, ShareMemoryWithinABlock) {
  const CUdeviceptr out = allocate(256);

  EXPECT_EQ(launch(kernel(kSharedExchange), {.block = 64, .shared_bytes = 256}, out), CUDA_SUCCESS);

  const auto words = read(out, 64);
  EXPECT_EQ(words[0], 32);
  EXPECT_EQ(words[63], 31);
}

TEST_F(Launches, TakeParametersFromABufferAsWell) {
  const CUdeviceptr out = allocate(128);
  std::size_t bytes = sizeof out;
  CUdeviceptr buffer = out;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};

  EXPECT_EQ(cuLaunchKernel(kernel(kStoreIndex), 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra),
            CUDA_SUCCESS);

  EXPECT_EQ(read(out, 32)[31], 31);
}

TEST_F(Launches, TakeAConfigurationAsWell) {
  const CUdeviceptr out = allocate(128);
  CUdeviceptr argument = out;
  void* parameters[] = {&argument};
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 32;
  config.blockDimY = config.blockDimZ = 1;

  EXPECT_EQ(cuLaunchKernelEx(&config, kernel(kStoreIndex), parameters, nullptr), CUDA_SUCCESS);

  EXPECT_EQ(read(out, 32)[31], 31);
}

TEST_F(Launches, BeyondTheLimitsAreRefused) {
  const CUfunction function = kernel(kStoreIndex);
  CUdeviceptr out = allocate(128);
  void* parameters[] = {&out};
  const auto attempt = [&](unsigned gx, unsigned gy, unsigned bx, unsigned by, unsigned bz,
                           unsigned shared_bytes) {
    return cuLaunchKernel(function, gx, gy, 1, bx, by, bz, shared_bytes, nullptr, parameters,
                          nullptr);
  };

  EXPECT_EQ(attempt(0, 1, 32, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt(1, 1, 0, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt(1, 65536, 32, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt(1U << 31, 1, 32, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt(1, 1, 1025, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt(1, 1, 1, 1, 65, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt(1, 1, 64, 32, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt(1, 1, 32, 1, 1, 49153), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Launches, GetMoreSharedMemoryOnceAskedFor) {
  const CUfunction function = kernel(kSharedExchange);
  const CUdeviceptr out = allocate(256);
  constexpr unsigned kBytes = 200 * 1024;
  ASSERT_EQ(launch(function, {.block = 64, .shared_bytes = kBytes}, out), CUDA_ERROR_INVALID_VALUE);

  EXPECT_EQ(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kBytes),
            CUDA_SUCCESS);
  EXPECT_EQ(launch(function, {.block = 64, .shared_bytes = kBytes}, out), CUDA_SUCCESS);
  EXPECT_EQ(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 233472),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(read(out, 1)[0], 32);
}

TEST_F(Launches, KeepToTheBlockSizesTheKernelNames) {
  const CUmodule module = load(R"(
.visible .entry most() .maxntid 64, 2, 1 { ret; }
.visible .entry exact() .reqntid 64, 1, 1 { ret; })");

  EXPECT_EQ(launch(kernel(module, "most"), {.block = 128}), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel(module, "most"), {.block = 129}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(kernel(module, "exact"), {.block = 64}), CUDA_SUCCESS);
  EXPECT_EQ(launch(kernel(module, "exact"), {.block = 32}), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Launches, WithoutFunctionStreamOrParametersAreRefused) {
  const CUfunction function = kernel(kStoreIndex);
  void* parameters[] = {nullptr};
  const auto garbage = made_up<CUfunction>();
  const auto no_stream = made_up<CUstream>();

  EXPECT_EQ(launch(nullptr, {}), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(garbage, {}), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(function, {.stream = no_stream}, CUdeviceptr{0}), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Launches, DescribeTheirKernel) {
  const CUfunction function = kernel(R"(
.visible .entry k() .maxntid 128, 1, 1 {
  .shared .align 4 .b8 tile[512];
  .reg .b32 %r<2>;
  ld.shared.u32 %r1, [tile];
  st.shared.u32 [tile+4], %r1;
  ret;
})");
  const auto attribute = [&](CUfunction_attribute which) {
    int value = -1;
    EXPECT_EQ(cuFuncGetAttribute(&value, which, function), CUDA_SUCCESS);
    return value;
  };

  EXPECT_EQ(attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 128);
  EXPECT_EQ(attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 512);
  EXPECT_EQ(attribute(CU_FUNC_ATTRIBUTE_PTX_VERSION), 90);
}

TEST_F(Launches, FillAMultiprocessorAsFarAsItsLimitsAllow) {
  const CUfunction function = kernel(kSharedExchange);
  int blocks = 0;

  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 256, 0), CUDA_SUCCESS);
  EXPECT_EQ(blocks, 8);
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 256, 49152),
            CUDA_SUCCESS);
  EXPECT_EQ(blocks, 4);
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Launches, HaveClustersOfUpToSixteenBlocks) {
  const CUfunction function = kernel(kSharedExchange);
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {1, 1, 1};
  CUlaunchConfig config{};
  config.blockDimX = 256;
  config.blockDimY = config.blockDimZ = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  int size = 0;
  int clusters = 0;
  int multiprocessors = 0;
  ASSERT_EQ(
      cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
      CUDA_SUCCESS);

  EXPECT_EQ(cuOccupancyMaxPotentialClusterSize(&size, function, &config), CUDA_SUCCESS);
  EXPECT_EQ(size, 8);
  EXPECT_EQ(cuOccupancyMaxActiveClusters(&clusters, function, &config), CUDA_SUCCESS);
  EXPECT_EQ(clusters, 8 * multiprocessors);
  attribute.value.clusterDim.x = 2;
  EXPECT_EQ(cuOccupancyMaxActiveClusters(&clusters, function, &config), CUDA_SUCCESS);
  EXPECT_EQ(clusters, 4 * multiprocessors);
  attribute.value.clusterDim.x = 16;
  EXPECT_EQ(cuOccupancyMaxActiveClusters(&clusters, function, &config),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  ASSERT_EQ(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
            CUDA_SUCCESS);
  EXPECT_EQ(cuOccupancyMaxActiveClusters(&clusters, function, &config), CUDA_SUCCESS);
  EXPECT_EQ(cuOccupancyMaxPotentialClusterSize(&size, function, &config), CUDA_SUCCESS);
  EXPECT_EQ(size, 16);
}

// What cuLaunchKernelEx says of so many blocks in clusters of so many.
CUresult launched(CUfunction function, unsigned blocks, unsigned cluster, CUdeviceptr out) {
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim = {cluster, 1, 1};
  CUlaunchConfig config{};
  config.gridDimX = blocks;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 32;
  config.blockDimY = config.blockDimZ = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  void* parameters[] = {&out};
  return cuLaunchKernelEx(&config, function, parameters, nullptr);
}

TEST_F(Launches, AreRefusedWhereTheGridIsNoMultipleOfTheCluster) {
  const CUfunction function = kernel(kStoreIndex);
  const CUdeviceptr out = allocate(std::size_t{32} * 32 * 4);
  EXPECT_EQ(launched(function, 6, 2, out), CUDA_SUCCESS);
  EXPECT_EQ(launched(function, 6, 4, out), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(launched(function, 32, 16, out), CUDA_ERROR_INVALID_CLUSTER_SIZE) << "not portable";
  EXPECT_EQ(launched(function, 6, 0, out), CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

TEST_F(Launches, PrintWhenTheProgramSynchronises) {
  const CUfunction function = kernel(R"(
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 text[12] = {110, 117, 109, 98, 101, 114, 32, 37, 100, 10, 0};
.visible .entry k() {
  .local .align 8 .b8 depot[8];
  .reg .b32 %r<3>; .reg .b64 %rd<5>;
  mov.u64 %rd1, depot;
  cvta.local.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  st.local.u32 [%rd1], %r1;
  mov.u64 %rd3, text;
  cvta.global.u64 %rd4, %rd3;
  {
    .param .b64 param0; st.param.b64 [param0], %rd4;
    .param .b64 param1; st.param.b64 [param1], %rd2;
    .param .b32 retval0;
    call.uni (retval0), vprintf, (param0, param1);
    ld.param.b32 %r2, [retval0];
  }
  ret;
})");

  testing::internal::CaptureStdout();
  EXPECT_EQ(launch(function, {.block = 2}), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);

  EXPECT_EQ(testing::internal::GetCapturedStdout(), "number 0\nnumber 1\n");
}

}  // namespace
}  // namespace emulator::api
