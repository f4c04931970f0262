#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "api/emulated_device.h"

namespace emulator::api {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Modules : public EmulatedDevice {
 protected:
  struct Attempt {
    CUresult result;
    std::string log;
  };
  static Attempt attempt(const std::string& image, std::size_t room = 1024) {
    CUmodule module = nullptr;
    std::string log(1024, 'x');
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log.data(), std::bit_cast<void*>(room)};
    const CUresult result = cuModuleLoadDataEx(&module, image.c_str(), 2, options, values);
    log.resize(reinterpret_cast<std::size_t>(values[1]));
    return {result, log};
  }
};

constexpr const char* kVariables = R"(
.visible .global .align 4 .u32 numbers[4] = {10, 20, 30, 40};
.visible .global .align 8 .u64 pointer = generic(numbers) + 8;
.visible .const .align 4 .u32 scale = 3;
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.global.u64 %rd2, [pointer];
  ld.u32 %r1, [%rd2];
  ld.const.u32 %r2, [scale];
  mul.lo.u32 %r3, %r1, %r2;
  st.global.u32 [%rd1], %r3;
  ret;
})";

TEST_F(Modules, InitialiseTheirVariables) {
  const CUmodule module = load(kVariables);
  CUdeviceptr address = 0;
  std::size_t bytes = 0;

  ASSERT_EQ(cuModuleGetGlobal(&address, &bytes, module, "numbers"), CUDA_SUCCESS);

  EXPECT_EQ(bytes, 16);
  EXPECT_EQ(read(address, 4), (std::vector<std::uint32_t>{10, 20, 30, 40}));
}

TEST_F(Modules, VariablesMayPointToEachOther) {
  const CUdeviceptr out = allocate(4);

  EXPECT_EQ(launch(kernel(load(kVariables), "k"), {.block = 1}, out), CUDA_SUCCESS);

  EXPECT_EQ(read(out, 1)[0], 90);
}

TEST_F(Modules, VariablesCanBeWrittenByTheProgram) {
  const CUmodule module = load(kVariables);
  const CUdeviceptr out = allocate(4);
  CUdeviceptr scale = 0;
  const std::uint32_t ten = 10;
  ASSERT_EQ(cuModuleGetGlobal(&scale, nullptr, module, "scale"), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyHtoD(scale, &ten, 4), CUDA_SUCCESS);

  EXPECT_EQ(launch(kernel(module, "k"), {.block = 1}, out), CUDA_SUCCESS);

  EXPECT_EQ(read(out, 1)[0], 300);
}

TEST_F(Modules, DoNotKnowWhatIsNotInThem) {
  const CUmodule module = load(kVariables);
  CUfunction function = nullptr;
  CUdeviceptr address = 0;

  EXPECT_EQ(cuModuleGetFunction(&function, module, "nothing"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetGlobal(&address, nullptr, module, "nothing"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetFunction(&function, module, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Modules, ListTheirKernels) {
  const CUmodule module = load(kVariables);
  unsigned count = 0;
  CUfunction function = nullptr;
  const char* name = nullptr;

  EXPECT_EQ(cuModuleGetFunctionCount(&count, module), CUDA_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cuModuleEnumerateFunctions(&function, 1, module), CUDA_SUCCESS);
  EXPECT_EQ(cuFuncGetName(&name, function), CUDA_SUCCESS);
  EXPECT_STREQ(name, "k");
}

TEST_F(Modules, TakeTheirKernelsAlongWhenUnloaded) {
  const CUmodule module = load(kVariables);
  const CUfunction function = kernel(module, "k");
  const CUdeviceptr out = allocate(4);

  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);

  EXPECT_EQ(launch(function, {}, out), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Modules, WithABadInstructionAreRefusedWithItsLine) {
  const Attempt bad = attempt(ptx(".visible .entry k() {\n  frobnicate.u32 %r1;\n  ret;\n}\n"));

  EXPECT_EQ(bad.result, CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(bad.log, StartsWith("ptxas-like: line 5, column"));
  EXPECT_THAT(bad.log, HasSubstr("frobnicate"));
}

TEST_F(Modules, WithABadInstructionAreRefusedWithTheLineOfItsSource) {
  const Attempt bad =
      attempt(ptx(".visible .entry k() {\n  .loc 1 27 3\n  frobnicate.u32 %r1;\n  ret;\n}\n"
                  ".file 1 \"/home/user/kernel.cu\"\n"));

  EXPECT_THAT(bad.log, StartsWith("ptxas-like: kernel.cu:27: PTX line 6, column 3: unknown opcode "
                                  "'frobnicate' in 'frobnicate.u32 %r1'"));
}

TEST_F(Modules, LogsAreCutToTheRoomGiven) {
  const Attempt bad = attempt(ptx(".visible .entry k() {\n  frobnicate.u32 %r1;\n  ret;\n}\n"), 8);

  EXPECT_EQ(bad.log, "ptxas-l");
}

TEST_F(Modules, OfMachineCodeAreForAnotherDevice) {
  EXPECT_EQ(attempt("\x7f"
                    "ELF\x02\x01\x01")
                .result,
            CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST_F(Modules, TellHowTheyWereMade) {
  std::string log(1024, 'x');
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_LOG_VERBOSE,     CU_JIT_WALL_TIME,
                            CU_JIT_MAX_REGISTERS,   CU_JIT_OPTIMIZATION_LEVEL,
                            CU_JIT_TARGET,          CU_JIT_GENERATE_DEBUG_INFO};
  void* values[] = {log.data(),
                    std::bit_cast<void*>(log.size()),
                    std::bit_cast<void*>(std::size_t{1}),
                    nullptr,
                    std::bit_cast<void*>(std::size_t{64}),
                    std::bit_cast<void*>(std::size_t{4}),
                    std::bit_cast<void*>(std::size_t{CU_TARGET_COMPUTE_90A}),
                    std::bit_cast<void*>(std::size_t{1})};
  CUmodule module = nullptr;

  EXPECT_EQ(cuModuleLoadDataEx(&module, ptx(kVariables).c_str(), 8, options, values), CUDA_SUCCESS);

  EXPECT_STREQ(log.c_str(),
               "kernel k: 8 bytes of parameters, 0 bytes of shared memory, 0 bytes of local "
               "memory\n");
  EXPECT_EQ(std::bit_cast<std::size_t>(values[1]), std::strlen(log.c_str()));
  EXPECT_GT(std::bit_cast<float>(static_cast<unsigned>(std::bit_cast<std::size_t>(values[3]))), 0);
}

TEST_F(Modules, RefuseOptionsThatAskForWhatIsNotThere) {
  const auto with = [](CUjit_option option, std::size_t number) {
    CUmodule module = nullptr;
    void* value = std::bit_cast<void*>(number);
    return cuModuleLoadDataEx(&module, ptx(kStoreIndex).c_str(), 1, &option, &value);
  };

  EXPECT_EQ(with(CU_JIT_OPTIMIZATION_LEVEL, 5), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(with(CU_JIT_TARGET, CU_TARGET_COMPUTE_100), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(with(CU_JIT_GLOBAL_SYMBOL_COUNT, 1), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(with(CU_JIT_NUM_OPTIONS, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Modules, ThatAreNoPtxAreInvalid) {
  EXPECT_EQ(attempt("").result, CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(attempt("hello").result, CUDA_ERROR_INVALID_IMAGE);
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Modules, WithTooMuchStaticSharedMemoryAreRefused) {
  const Attempt large = attempt(ptx(R"(
.visible .entry k() {
  .shared .align 4 .b8 tile[65536];
  .reg .b32 %r<2>;
  ld.shared.u32 %r1, [tile];
  st.shared.u32 [tile+4], %r1;
  ret;
})"));

  EXPECT_EQ(large.result, CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(large.log, HasSubstr("65536 bytes of static shared memory"));
}

TEST_F(Modules, AreReadFromFiles) {
  const std::string path = testing::TempDir() + "emulator_module_test.ptx";
  std::ofstream(path) << ptx(kStoreIndex);
  CUmodule module = nullptr;

  EXPECT_EQ(cuModuleLoad(&module, path.c_str()), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleLoad(&module, "/nowhere/at/all.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace emulator::api
