#include <thread>

#include "api/emulated_device.h"

namespace emulator::api {
namespace {

using testing::HasSubstr;

constexpr const char* kCounter = R"(
.visible .global .align 4 .u32 counter = 40;
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  ld.global.u32 %r1, [counter];
  add.u32 %r2, %r1, 1;
  st.global.u32 [counter], %r2;
  st.global.u32 [%rd1], %r2;
  ret;
}
.visible .entry other() { ret; })";

class Libraries : public EmulatedDevice {
 protected:
  void SetUp() override {
    EmulatedDevice::SetUp();
    ASSERT_EQ(cuLibraryLoadData(&library, ptx(kCounter).c_str(), nullptr, nullptr, 0, nullptr,
                                nullptr, 0),
              CUDA_SUCCESS);
    ASSERT_EQ(cuLibraryGetKernel(&kernel_, library, "k"), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
    EmulatedDevice::TearDown();
  }
  static std::uint32_t count(CUfunction function) {
    const CUdeviceptr out = allocate(4);
    EXPECT_EQ(launch(function, {.block = 1}, out), CUDA_SUCCESS);
    return read(out, 1)[0];
  }

  CUlibrary library = nullptr;
  CUkernel kernel_ = nullptr;
};

TEST_F(Libraries, HaveAModuleInEachContext) {
  CUfunction function = nullptr;
  ASSERT_EQ(cuKernelGetFunction(&function, kernel_), CUDA_SUCCESS);
  EXPECT_EQ(count(function), 41);
  EXPECT_EQ(count(function), 42);
  CUcontext second = nullptr;
  ASSERT_EQ(cuCtxCreate(&second, nullptr, 0, device), CUDA_SUCCESS);
  CUfunction there = nullptr;
  ASSERT_EQ(cuKernelGetFunction(&there, kernel_), CUDA_SUCCESS);

  EXPECT_NE(function, there);
  EXPECT_EQ(count(there), 41);

  EXPECT_EQ(cuCtxDestroy(second), CUDA_SUCCESS);
}

TEST_F(Libraries, KernelsAreLaunchedLikeFunctions) {
  EXPECT_EQ(count(reinterpret_cast<CUfunction>(kernel_)), 41);
}

TEST_F(Libraries, TellWhatIsInThem) {
  unsigned kernels = 0;
  std::vector<CUkernel> all(2);
  const char* name = nullptr;
  CUlibrary owner = nullptr;
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  std::size_t offset = 1;
  CUmodule module = nullptr;

  EXPECT_EQ(cuLibraryGetKernelCount(&kernels, library), CUDA_SUCCESS);
  EXPECT_EQ(kernels, 2);
  EXPECT_EQ(cuLibraryEnumerateKernels(all.data(), 2, library), CUDA_SUCCESS);
  EXPECT_EQ(cuKernelGetName(&name, all[1]), CUDA_SUCCESS);
  EXPECT_STREQ(name, "other");
  EXPECT_EQ(cuKernelGetLibrary(&owner, kernel_), CUDA_SUCCESS);
  EXPECT_EQ(owner, library);
  EXPECT_EQ(cuLibraryGetGlobal(&address, &bytes, library, "counter"), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 4);
  EXPECT_EQ(read(address, 1)[0], 40);
  EXPECT_EQ(cuKernelGetParamInfo(kernel_, 0, &offset, &bytes), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 8);
  EXPECT_EQ(cuLibraryGetModule(&module, library), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunctionCount(&kernels, module), CUDA_SUCCESS);
  EXPECT_EQ(kernels, 2);
  EXPECT_EQ(cuLibraryGetKernel(&all[0], library, "nothing"), CUDA_ERROR_NOT_FOUND);
}

TEST_F(Libraries, AttributesOfKernelsHoldInContextsToCome) {
  constexpr int kBytes = 100 * 1024;
  ASSERT_EQ(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kBytes, kernel_,
                                 device),
            CUDA_SUCCESS);
  CUcontext second = nullptr;
  ASSERT_EQ(cuCtxCreate(&second, nullptr, 0, device), CUDA_SUCCESS);
  int value = 0;

  EXPECT_EQ(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel_,
                                 device),
            CUDA_SUCCESS);
  EXPECT_EQ(value, kBytes);
  EXPECT_EQ(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30, kernel_,
                                 device),
            CUDA_ERROR_INVALID_VALUE);

  EXPECT_EQ(cuCtxDestroy(second), CUDA_SUCCESS);
}

TEST_F(Libraries, AreLoadedWithoutAContext) {
  CUresult result = CUDA_ERROR_UNKNOWN;
  CUlibrary other = nullptr;
  std::thread([&] {
    result = cuLibraryLoadData(&other, ptx(kStoreIndex).c_str(), nullptr, nullptr, 0, nullptr,
                               nullptr, 0);
  }).join();

  EXPECT_EQ(result, CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryUnload(other), CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryUnload(other), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Libraries, ThatAreNoPtxAreRefused) {
  CUlibrary other = nullptr;
  std::string log(256, '\0');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log.data(), std::bit_cast<void*>(log.size())};

  EXPECT_EQ(
      cuLibraryLoadData(
          &other,
          ptx(".visible .entry k() {\n.loc 1 27 3\nfrobnicate;\n}\n.file 1 \"/home/kernel.cu\"")
              .c_str(),
          options, values, 2, nullptr, nullptr, 0),
      CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(log, HasSubstr("kernel.cu:27: PTX line 6"));
  EXPECT_EQ(cuLibraryLoadFromFile(&other, "/nowhere", nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_ERROR_FILE_NOT_FOUND);
}

}  // namespace
}  // namespace emulator::api
