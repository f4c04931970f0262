#include "emulator/api/emulated_device.h"

namespace emulator::api {
namespace {

using testing::HasSubstr;

class Faults : public EmulatedDevice {
 protected:
  // What the program sees once the kernel has run.
  template <typename... Arguments>
  CUresult fault_of(const std::string& text, const Shape& shape, Arguments... arguments) {
    EXPECT_EQ(launch(kernel(text), shape, arguments...), CUDA_SUCCESS);
    return cuCtxSynchronize();
  }
};

TEST_F(Faults, OfAddressesNameInstructionThreadAndDistance) {
  const CUdeviceptr out = allocate(400);

  EXPECT_EQ(fault_of(kStoreIndex, {.grid = 2, .block = 64}, out), CUDA_ERROR_ILLEGAL_ADDRESS);

  const std::string report = emuFaultReport();
  EXPECT_THAT(report, HasSubstr("out-of-bounds store of 4 bytes"));
  EXPECT_THAT(report, HasSubstr("right behind the end of a 400-byte allocation"));
  EXPECT_THAT(report, HasSubstr("by thread (36,0,0) of block (1,0,0)"));
  EXPECT_THAT(report, HasSubstr("PTX line 15: st.global.u32 [%rd4], %r4"));
}

TEST_F(Faults, StickToTheContext) {
  ASSERT_EQ(fault_of(kStoreIndex, {}, CUdeviceptr{0}), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUdeviceptr address = 0;
  CUevent event = nullptr;

  EXPECT_EQ(cuMemAlloc(&address, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuEventCreate(&event, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuStreamQuery(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(Faults, LeaveOtherContextsAlone) {
  ASSERT_EQ(fault_of(kStoreIndex, {}, CUdeviceptr{0}), CUDA_ERROR_ILLEGAL_ADDRESS);
  CUcontext other = nullptr;
  ASSERT_EQ(cuCtxCreate(&other, nullptr, 0, device), CUDA_SUCCESS);

  EXPECT_STREQ(emuFaultReport(), "");
  EXPECT_EQ(fault_of(kStoreIndex, {}, allocate(128)), CUDA_SUCCESS);

  EXPECT_EQ(cuCtxDestroy(other), CUDA_SUCCESS);
  EXPECT_STRNE(emuFaultReport(), "");
}

TEST_F(Faults, GoWithThePrimaryContext) {
  CUcontext primary = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, device), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxPushCurrent(primary), CUDA_SUCCESS);
  ASSERT_EQ(fault_of(kStoreIndex, {}, CUdeviceptr{0}), CUDA_ERROR_ILLEGAL_ADDRESS);

  ASSERT_EQ(cuDevicePrimaryCtxReset(device), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, device), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(primary), CUDA_SUCCESS);

  EXPECT_EQ(fault_of(kStoreIndex, {}, allocate(128)), CUDA_SUCCESS);

  ASSERT_EQ(cuDevicePrimaryCtxRelease(device), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxPopCurrent(&primary), CUDA_SUCCESS);
}

TEST_F(Faults, OfFreedMemoryAreFaults) {
  const CUdeviceptr out = allocate(128);
  ASSERT_EQ(cuMemFree(out), CUDA_SUCCESS);

  EXPECT_EQ(fault_of(kStoreIndex, {}, out), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(emuFaultReport(), HasSubstr("has been freed"));
}

TEST_F(Faults, OfAlignmentHaveTheirOwnCode) {
  EXPECT_EQ(fault_of(kStoreIndex, {}, allocate(256) + 2), CUDA_ERROR_MISALIGNED_ADDRESS);
  EXPECT_THAT(emuFaultReport(), HasSubstr("misaligned store of 4 bytes"));
}

TEST_F(Faults, TrapsFailTheLaunch) {
  EXPECT_EQ(fault_of(".visible .entry k() {\n  trap;\n  ret;\n}", {}), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(emuFaultReport(), HasSubstr("trap instruction, by thread (0,0,0)"));
}

TEST_F(Faults, BarriersThatNeverFillFailTheLaunch) {
  const char* text = R"(
.visible .entry k() {
  .reg .pred %p<2>; .reg .b32 %r<2>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra FIRST;
  bar.sync 1;
  bra END;
FIRST:
  bar.sync 2;
END:
  ret;
})";

  EXPECT_EQ(fault_of(text, {.block = 64}), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(emuFaultReport(), HasSubstr("can never fill"));
}

TEST_F(Faults, BarriersThatPartOfAWarpReachesFailTheLaunch) {
  const char* text = R"(
.visible .entry k() {
  .reg .pred %p<2>; .reg .b32 %r<2>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra END;
  bar.sync 0;
END:
  nanosleep.u32 1;
  ret;
})";

  EXPECT_EQ(fault_of(text, {.block = 64}), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(emuFaultReport(), HasSubstr("divergent barrier 0"));
}

TEST_F(Faults, AssertionsHaveTheirOwnCode) {
  const char* text = R"(
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e) .noreturn;
.global .align 1 .b8 message[6] = {120, 32, 62, 32, 48, 0};
.visible .entry k() {
  .reg .b64 %rd<3>;
  mov.u64 %rd1, message;
  cvta.global.u64 %rd2, %rd1;
  {
    .param .b64 param0; st.param.b64 [param0], %rd2;
    .param .b64 param1; st.param.b64 [param1], %rd2;
    .param .b32 param2; st.param.b32 [param2], 12;
    .param .b64 param3; st.param.b64 [param3], %rd2;
    .param .b64 param4; st.param.b64 [param4], 1;
    call.uni __assertfail, (param0, param1, param2, param3, param4);
  }
  ret;
})";

  testing::internal::CaptureStderr();
  EXPECT_EQ(fault_of(text, {.block = 1}), CUDA_ERROR_ASSERT);
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      HasSubstr("x > 0:12: x > 0: block: [0,0,0], thread: [0,0,0] Assertion `x > 0` failed."));
}

TEST_F(Faults, AreReportedByTheFirstCallThatWaits) {
  CUstream stream = nullptr;
  CUevent event = nullptr;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
  ASSERT_EQ(launch(kernel(kStoreIndex), {.stream = stream}, CUdeviceptr{64}), CUDA_SUCCESS);

  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(emuFaultReport(), HasSubstr("a null pointer"));
}

}  // namespace
}  // namespace emulator::api
