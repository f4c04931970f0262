#include <atomic>
#include <thread>

#include "api/emulated_device.h"

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

// A store past the end in a function inlined from a header, as a compiler leaves its lines.
constexpr const char* kInlinedStore = R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd<3>; .reg .b32 %r<2>;
  .loc 1 20 0
  ld.param.u64 %rd1, [out];
  .loc 1 27 3
  .loc 2 900 5, function_name $L__info_string0, inlined_at 1 27 3
  mov.u32 %r1, 7;
  st.global.u32 [%rd1+128], %r1;
  .loc 1 28 1
  ret;
}
.file 1 "/case/kernel.cu"
.file 2 "/cuda/header.hpp"
)";

TEST_F(Faults, NameTheLineOfTheSourceThatTheKernelStandsIn) {
  EXPECT_EQ(fault_of(kInlinedStore, {}, allocate(128)), CUDA_ERROR_ILLEGAL_ADDRESS);

  EXPECT_THAT(emuFaultReport(), HasSubstr("kernel.cu:27 (in header.hpp:900, PTX line 12)"));
}

TEST_F(Faults, AreToldAsDataToo) {
  EXPECT_EQ(emuFault(), nullptr);
  const CUdeviceptr out = allocate(128);
  EXPECT_EQ(fault_of(kInlinedStore, {}, out), CUDA_ERROR_ILLEGAL_ADDRESS);

  const EmuFault* fault = emuFault();
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(fault->size, sizeof(EmuFault));
  EXPECT_EQ(fault->kind, EMU_FAULT_OUT_OF_BOUNDS);
  EXPECT_STREQ(fault->text, emuFaultReport());
  EXPECT_STREQ(fault->instruction, "st.global.u32 [%rd1+128], %r1");
  EXPECT_EQ(fault->access, EMU_ACCESS_STORE);
  EXPECT_EQ(fault->memory, EMU_MEMORY_DEVICE);
  EXPECT_EQ(fault->address, out + 128);
  EXPECT_EQ(fault->begin, out);
  EXPECT_EQ(fault->end, out + 128);
  EXPECT_EQ(fault->bytes, 4U);
  ASSERT_EQ(fault->line_count, 2U);
  EXPECT_STREQ(fault->lines[0].file, "/cuda/header.hpp");
  EXPECT_EQ(fault->lines[fault->line_to_look_at].line, 27U);
  EXPECT_EQ(fault->has_thread, 1U);
  EXPECT_EQ(fault->thread[0], 0U);
}

TEST_F(Faults, OfSharedMemoryNameTheVariable) {
  const char* text = R"(
.visible .entry k() {
  .reg .b32 %r<3>;
  .shared .align 4 .b8 first[64];
  .shared .align 4 .b8 second[64];
  mov.u32 %r1, second;
  ld.shared.u32 %r2, [%r1+64];
  ret;
})";
  EXPECT_EQ(fault_of(text, {}), CUDA_ERROR_ILLEGAL_ADDRESS);

  const EmuFault* fault = emuFault();
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(fault->memory, EMU_MEMORY_SHARED);
  EXPECT_STREQ(fault->variable, "second");
  EXPECT_EQ(fault->variable_begin, 64U);
  EXPECT_EQ(fault->variable_end, 128U);
}

TEST_F(Faults, OfANullPointerSayThatItIsOne) {
  EXPECT_EQ(fault_of(kStoreIndex, {}, CUdeviceptr{0}), CUDA_ERROR_ILLEGAL_ADDRESS);

  ASSERT_NE(emuFault(), nullptr);
  EXPECT_EQ(emuFault()->memory, EMU_MEMORY_NULL);
}

// As compilers write what they merge: the load bears the line of the store behind it.
constexpr const char* kMergedLoad = R"(
.visible .entry k(.param .u64 in) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<5>;
  .loc 1 3 0
  ld.param.u64 %rd1, [in];
  .loc 1 5 3
  add.s64 %rd2, %rd1, 128;
  .loc 1 7 3
  ld.global.u32 %r1, [%rd2];
  st.global.u32 [%rd1], %r1;
  ret;
}
.file 1 "/case/kernel.cu"
)";

TEST_F(Faults, NameTheLineThatComputedTheAddressWhereItIsAnother) {
  EXPECT_EQ(fault_of(kMergedLoad, {}, allocate(128)), CUDA_ERROR_ILLEGAL_ADDRESS);

  ASSERT_NE(emuFault(), nullptr);
  EXPECT_EQ(emuFault()->lines[emuFault()->line_to_look_at].line, 7U);
  EXPECT_EQ(emuFault()->address_line, 5U);
}

TEST_F(Faults, NameNoLineOfTheAddressWhereItIsTheSame) {
  std::string text = kMergedLoad;
  text.replace(text.find(".loc 1 5 3"), 10, ".loc 1 7 3");
  EXPECT_EQ(fault_of(text.c_str(), {}, allocate(128)), CUDA_ERROR_ILLEGAL_ADDRESS);

  ASSERT_NE(emuFault(), nullptr);
  EXPECT_EQ(emuFault()->address_line, 0U);
}

// Each thread draws a ticket: the counter is out[0], the ticket of thread i lies in out[1 + i].
constexpr const char* kTickets = R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  atom.global.add.u32 %r2, [%rd1], 1;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3+4], %r2;
  ret;
}
)";

TEST_F(EmulatedDevice, BeginsTheWarpsOfABlockFromTheEndThatItIsTold) {
  CUcontext primary = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, device), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxPushCurrent(primary), CUDA_SUCCESS);
  const CUfunction draw = kernel(kTickets);
  const auto first_threads_ticket = [&] {
    const CUdeviceptr out = allocate(sizeof(std::uint32_t) * 65);
    EXPECT_EQ(cuMemsetD32(out, 0, 65), CUDA_SUCCESS);
    EXPECT_EQ(launch(draw, {.block = 64}, out), CUDA_SUCCESS);
    return read(out, 2)[1];
  };

  EXPECT_EQ(first_threads_ticket(), 0U);
  emuWarpOrder(EMU_WARPS_DESCENDING);
  EXPECT_EQ(first_threads_ticket(), 32U);
  emuWarpOrder(EMU_WARPS_ASCENDING);
  EXPECT_EQ(first_threads_ticket(), 0U);

  ASSERT_EQ(cuCtxPopCurrent(&primary), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRelease(device), CUDA_SUCCESS);
}

TEST_F(Faults, OfCodeThatIsRefusedAreToldWithTheirLine) {
  std::string text = kInlinedStore;
  text.replace(text.find("mov.u32 %r1, 7;"), 15, "tcgen05.wait::ld.sync.aligned;");
  CUmodule module = nullptr;

  EXPECT_EQ(cuModuleLoadData(&module, ptx(text).c_str()), CUDA_ERROR_INVALID_PTX);
  const EmuFault* refusal = emuRefusal();
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->kind, EMU_FAULT_UNSUPPORTED);
  EXPECT_THAT(refusal->text, HasSubstr("tcgen05"));
  ASSERT_EQ(refusal->line_count, 2U);
  EXPECT_EQ(refusal->lines[refusal->line_to_look_at].line, 27U);
  EXPECT_EQ(emuFault(), nullptr) << "the context is sound";

  (void)load(kStoreIndex);
  EXPECT_EQ(emuRefusal(), nullptr);
}

std::string whereabouts() {
  std::string text(256, '\0');
  emuWhereabouts(text.data(), text.size());
  return text.c_str();
}

TEST_F(Faults, OfALaunchThatDoesNotEndSayWhereItsWarpsStand) {
  std::string text = kWaitForFlag;
  text.replace(text.find("LOOP:"), 5, ".loc 1 33 3\nLOOP:");
  text += "\n.file 1 \"/case/kernel.cu\"\n";
  CUcontext primary = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, device), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxPushCurrent(primary), CUDA_SUCCESS);
  EXPECT_EQ(whereabouts(), "");
  void* flag = nullptr;
  ASSERT_EQ(cuMemHostAlloc(&flag, sizeof(std::uint32_t), 0), CUDA_SUCCESS);
  std::atomic_ref word(*static_cast<std::uint32_t*>(flag));
  word = 0;

  ASSERT_EQ(launch(kernel(text), {.block = 64}, std::bit_cast<CUdeviceptr>(flag)), CUDA_SUCCESS);
  while (whereabouts() != "2 warps at kernel.cu:33") std::this_thread::yield();
  word = 1;

  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(whereabouts(), "");
  EXPECT_EQ(cuMemFreeHost(flag), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxPopCurrent(&primary), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRelease(device), CUDA_SUCCESS);
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
