// The heap of device-side malloc: its size, and how long it lives.
#include "emulated_device.h"

namespace emulator::api {
namespace {

constexpr std::size_t kDefaultBytes = std::size_t{8} << 20;

// take: *out = malloc(bytes), with the word 77 in it where there is such memory. look: *out = the
// word at *from. give: free(*from).
constexpr const char* kKernels = R"(
.extern .func (.param .b64 block) malloc (.param .b64 bytes);
.extern .func free (.param .b64 block);
.visible .entry take(.param .u64 out, .param .u64 bytes) {
  .reg .pred %p; .reg .b64 %out, %bytes, %block;
  .param .b64 a; .param .b64 b;
  ld.param.u64 %out, [out]; ld.param.u64 %bytes, [bytes];
  st.param.b64 [a], %bytes; call (b), malloc, (a); ld.param.b64 %block, [b];
  st.global.u64 [%out], %block;
  setp.ne.u64 %p, %block, 0; @%p st.global.u32 [%block], 77;
  ret;
}
.visible .entry give(.param .u64 from) {
  .reg .b64 %from, %block; .param .b64 a;
  ld.param.u64 %from, [from]; ld.global.u64 %block, [%from];
  st.param.b64 [a], %block; call free, (a);
  ret;
})";
constexpr const char* kLook = R"(
.visible .entry look(.param .u64 out, .param .u64 from) {
  .reg .b32 %word; .reg .b64 %out, %from;
  ld.param.u64 %out, [out]; ld.param.u64 %from, [from]; ld.global.u64 %from, [%from];
  ld.global.u32 %word, [%from]; st.global.u32 [%out], %word;
  ret;
})";

class DeviceMalloc : public EmulatedDevice {
 protected:
  void SetUp() override {
    EmulatedDevice::SetUp();
    module = load(kKernels);
    pointer = allocate(8);
    word = allocate(4);
  }
  // The address that malloc gave.
  [[nodiscard]] std::uint64_t take(std::uint64_t bytes) const {
    EXPECT_EQ(launch(kernel(module, "take"), {.block = 1}, pointer, bytes), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << emuFaultReport();
    std::uint64_t address = 0;
    EXPECT_EQ(cuMemcpyDtoH(&address, pointer, sizeof address), CUDA_SUCCESS);
    return address;
  }
  [[nodiscard]] CUresult look() const {
    const CUresult launched = launch(kernel(load(kLook), "look"), {.block = 1}, word, pointer);
    return launched == CUDA_SUCCESS ? cuCtxSynchronize() : launched;
  }
  [[nodiscard]] CUresult give() const {
    const CUresult launched = launch(kernel(module, "give"), {.block = 1}, pointer);
    return launched == CUDA_SUCCESS ? cuCtxSynchronize() : launched;
  }
  static std::size_t limit() {
    std::size_t bytes = 0;
    EXPECT_EQ(cuCtxGetLimit(&bytes, CU_LIMIT_MALLOC_HEAP_SIZE), CUDA_SUCCESS);
    return bytes;
  }

  CUmodule module = nullptr;
  CUdeviceptr pointer = 0;
  CUdeviceptr word = 0;
};

TEST_F(DeviceMalloc, MemoryStaysForLaterLaunchesOfOtherModules) {
  ASSERT_NE(take(16), 0);

  ASSERT_EQ(look(), CUDA_SUCCESS) << emuFaultReport();
  EXPECT_EQ(read(word, 1)[0], 77);
  EXPECT_EQ(give(), CUDA_SUCCESS) << emuFaultReport();
}

TEST_F(DeviceMalloc, MemoryFreedInAnEarlierLaunchIsOutOfBounds) {
  ASSERT_NE(take(16), 0);
  ASSERT_EQ(give(), CUDA_SUCCESS) << emuFaultReport();

  EXPECT_EQ(look(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(emuFaultReport(),
              testing::HasSubstr("a 16-byte block of the device heap that has been freed"));
}

TEST_F(DeviceMalloc, FreeingTwiceIsAFault) {
  ASSERT_NE(take(16), 0);
  ASSERT_EQ(give(), CUDA_SUCCESS) << emuFaultReport();

  EXPECT_EQ(give(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(DeviceMalloc, TheHeapHasEightMegabytesUnlessTheProgramSaysOtherwise) {
  EXPECT_EQ(limit(), kDefaultBytes);
  EXPECT_EQ(take(kDefaultBytes), 0);
  EXPECT_NE(take(kDefaultBytes / 2), 0);
}

TEST_F(DeviceMalloc, TheHeapIsAsLargeAsTheProgramSays) {
  ASSERT_EQ(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 2 * kDefaultBytes), CUDA_SUCCESS);

  EXPECT_EQ(limit(), 2 * kDefaultBytes);
  EXPECT_NE(take(kDefaultBytes), 0);
}

TEST_F(DeviceMalloc, AHeapOfNoBytesGivesNull) {
  ASSERT_EQ(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 0), CUDA_SUCCESS);

  EXPECT_EQ(take(1), 0);
}

TEST_F(DeviceMalloc, TheSizeIsFixedByTheFirstLaunchThatUsesTheHeap) {
  ASSERT_NE(take(16), 0);

  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 2 * kDefaultBytes), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(limit(), kDefaultBytes);
}

TEST_F(DeviceMalloc, TheSizeIsNotFixedByALaunchThatDoesNotUseTheHeap) {
  ASSERT_EQ(launch(kernel(kStoreIndex), {.block = 1}, word), CUDA_SUCCESS);

  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 2 * kDefaultBytes), CUDA_SUCCESS);
}

TEST_F(DeviceMalloc, AHeapLargerThanTheMachineIsRefused) {
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, std::size_t{1} << 60),
            CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(limit(), kDefaultBytes);
}

// As on a GPU, where such memory is none of the driver's.
TEST_F(DeviceMalloc, TheHostCannotCopyFromTheHeap) {
  const CUdeviceptr block = take(16);
  std::uint32_t copied = 0;

  EXPECT_EQ(cuMemcpyDtoH(&copied, block, sizeof copied), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace emulator::api
