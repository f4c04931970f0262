// LLVM keeps addresses of parameters and of constant memory in 32 bits where it is asked for short
// pointers, as Triton asks it.
#include "api/emulated_device.h"

namespace emulator::api {
namespace {

using ShortAddresses = EmulatedDevice;

// Reads block[1] and block[2] of the parameter, and table[2] and table[3] of constant memory: each
// time one by the address of its space, one by the generic address made of it.
constexpr const char* kReadsByShortAddresses = R"(
.const .align 4 .b32 table[4] = {3, 5, 7, 11};
.visible .entry k(.param .u64 out, .param .align 64 .b8 block[128]) {
  .reg .b32 %r<8>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [out];
  mov.b32 %r1, block;
  ld.param.b32 %r2, [%r1+4];
  cvt.u64.u32 %rd2, %r1;
  cvta.param.u64 %rd3, %rd2;
  ld.b32 %r3, [%rd3+8];
  mov.b32 %r4, table;
  ld.const.b32 %r5, [%r4+8];
  cvt.u64.u32 %rd4, %r4;
  cvta.const.u64 %rd5, %rd4;
  ld.b32 %r6, [%rd5+12];
  st.global.v4.b32 [%rd1], {%r2, %r3, %r5, %r6};
  ret;
})";

TEST_F(ShortAddresses, ReachParametersAndConstantMemory) {
  CUdeviceptr out = allocate(16);
  std::array<std::uint32_t, 32> block{};
  block[1] = 17;
  block[2] = 19;
  void* arguments[] = {&out, block.data()};

  EXPECT_EQ(cuLaunchKernel(kernel(kReadsByShortAddresses), 1, 1, 1, 1, 1, 1, 0, nullptr, arguments,
                           nullptr),
            CUDA_SUCCESS);

  EXPECT_THAT(read(out, 4), testing::ElementsAre(17, 19, 7, 11));
}

// More than fit below 2 GiB. No module has so many, but a process that loads modules all day has.
TEST_F(ShortAddresses, OfConstantMemoryComeBackWithItsModules) {
  const CUdeviceptr out = allocate(16);
  for (int i = 0; i < 40; ++i) {
    std::string text;
    for (int v = 0; v < 512; ++v) text += ".const .b32 c" + std::to_string(v) + " = 1;\n";
    text += R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  mov.b32 %r1, c511;
  ld.const.b32 %r2, [%r1];
  st.global.b32 [%rd1], %r2;
  ret;
})";
    const CUmodule module = load(text);
    ASSERT_EQ(launch(kernel(module, "k"), {.block = 1}, out), CUDA_SUCCESS) << i;
    ASSERT_EQ(read(out, 1)[0], 1) << i;
    ASSERT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  }
}

}  // namespace
}  // namespace emulator::api
