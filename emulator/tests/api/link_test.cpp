#include <fstream>

#include "api/emulated_device.h"
#include "fatbin/fatbin_files.h"

namespace emulator::api {
namespace {

using testing::HasSubstr;

// scale() and the kernel that calls it, in modules of their own.
constexpr const char* kKernel = R"(
.extern .func (.param .b32 result) scale(.param .b32 value);
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  {
    .param .b32 value; st.param.b32 [value], %r1;
    .param .b32 result;
    call.uni (result), scale, (value);
    ld.param.b32 %r2, [result];
  }
  mad.wide.u32 %rd1, %r1, 4, %rd1;
  st.global.u32 [%rd1], %r2;
  ret;
})";
constexpr const char* kScale = R"(
.visible .const .align 4 .u32 factor = 10;
.visible .func (.param .b32 result) scale(.param .b32 value) {
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [value];
  ld.const.u32 %r2, [factor];
  mul.lo.u32 %r3, %r1, %r2;
  st.param.b32 [result], %r3;
  ret;
})";

class Links : public EmulatedDevice {
 protected:
  void SetUp() override {
    EmulatedDevice::SetUp();
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    values[0] = log.data();
    values[1] = std::bit_cast<void*>(log.size());
    ASSERT_EQ(cuLinkCreate(2, options, values, &state), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cuLinkDestroy(state), CUDA_SUCCESS);
    EmulatedDevice::TearDown();
  }
  CUresult add(const std::string& text, const char* name = "input") {
    std::string data = ptx(text);
    return cuLinkAddData(state, CU_JIT_INPUT_PTX, data.data(), data.size() + 1, name, 0, nullptr,
                         nullptr);
  }
  CUresult add_machine_code(const char* name) {
    std::string data = fatbin::testing::fatbin_file("machine_code");
    return cuLinkAddData(state, CU_JIT_INPUT_FATBINARY, data.data(), data.size(), name, 0, nullptr,
                         nullptr);
  }
  CUresult complete() { return cuLinkComplete(state, &image, &bytes); }
  [[nodiscard]] std::string text_of_log() const { return log.c_str(); }

  CUlinkState state = nullptr;
  std::string log = std::string(4096, '\0');
  void* values[2] = {};
  void* image = nullptr;
  std::size_t bytes = 0;
};

TEST_F(Links, MakeOneModuleOfSeveral) {
  ASSERT_EQ(add(kKernel), CUDA_SUCCESS);
  ASSERT_EQ(add(kScale), CUDA_SUCCESS);
  ASSERT_EQ(complete(), CUDA_SUCCESS) << text_of_log();
  const std::string copy(static_cast<char*>(image), bytes);
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, copy.data()), CUDA_SUCCESS);

  const CUdeviceptr out = allocate(128);
  EXPECT_EQ(launch(kernel(module, "k"), {}, out), CUDA_SUCCESS);

  EXPECT_EQ(read(out, 32)[31], 310);
}

TEST_F(Links, NameTheInputAndTheLineOfWhatTheyRefuse) {
  EXPECT_EQ(add(".visible .entry k() {\n.loc 1 27 3\nfrobnicate;\n}\n.file 1 \"/home/kernel.cu\"",
                "second"),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(text_of_log(), HasSubstr("second: kernel.cu:27: PTX line 6, column 1: unknown opcode "
                                       "'frobnicate' in 'frobnicate'"));
}

TEST_F(Links, TakeFiles) {
  const std::string path = testing::TempDir() + "emulator_link_test.ptx";
  std::ofstream(path) << ptx(kScale);
  const auto add_file = [&](const char* file) {
    return cuLinkAddFile(state, CU_JIT_INPUT_PTX, file, 0, nullptr, nullptr);
  };

  EXPECT_EQ(add_file("/nowhere/at/all.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(add_file(path.c_str()), CUDA_SUCCESS);
  EXPECT_EQ(complete(), CUDA_SUCCESS);
  std::remove(path.c_str());
}

TEST_F(Links, NameTheInputThatIsNoPtx) {
  EXPECT_EQ(add(".visible .entry k() { frobnicate; }", "second.ptx"), CUDA_ERROR_INVALID_PTX);

  EXPECT_THAT(text_of_log(), HasSubstr("second.ptx: line 4"));
}

TEST_F(Links, SayWhatIsDefinedNowhere) {
  ASSERT_EQ(add(kKernel), CUDA_SUCCESS);

  EXPECT_EQ(complete(), CUDA_ERROR_INVALID_PTX);

  EXPECT_THAT(text_of_log(), HasSubstr("'scale' is defined nowhere"));
}

TEST_F(Links, DoWithoutFatBinariesOfMachineCode) {
  ASSERT_EQ(add(kKernel), CUDA_SUCCESS);
  ASSERT_EQ(add_machine_code("runtime"), CUDA_SUCCESS);
  ASSERT_EQ(add(kScale), CUDA_SUCCESS);
  ASSERT_EQ(complete(), CUDA_SUCCESS) << text_of_log();
  CUmodule module = nullptr;

  EXPECT_EQ(cuModuleLoadData(&module, image), CUDA_SUCCESS);
}

TEST_F(Links, SayWhichInputWasLeftOutWhereAFunctionIsMissing) {
  ASSERT_EQ(add(kKernel), CUDA_SUCCESS);
  ASSERT_EQ(add_machine_code("scale.fatbin"), CUDA_SUCCESS);

  EXPECT_EQ(complete(), CUDA_ERROR_INVALID_PTX);

  EXPECT_THAT(text_of_log(), HasSubstr("'scale' is defined nowhere\nnot linked: scale.fatbin: the "
                                       "fat binary has no PTX for sm_90"));
}

TEST_F(Links, OfFatBinariesOfMachineCodeAloneAreForAnotherDevice) {
  ASSERT_EQ(add_machine_code("scale.fatbin"), CUDA_SUCCESS);

  EXPECT_EQ(complete(), CUDA_ERROR_NO_BINARY_FOR_GPU);

  EXPECT_THAT(text_of_log(), HasSubstr("scale.fatbin: the fat binary has no PTX for sm_90"));
}

TEST_F(Links, OfNothingOrOfMachineCodeAreRefused) {
  char code[] =
      "\x7f"
      "ELF";

  EXPECT_EQ(complete(), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      cuLinkAddData(state, CU_JIT_INPUT_CUBIN, code, sizeof code, "code", 0, nullptr, nullptr),
      CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_THAT(text_of_log(), HasSubstr("code: only PTX"));
}

}  // namespace
}  // namespace emulator::api
