// A CUDA C++ source compiled by NVRTC and run on the emulated device.
#pragma once

#include <string>
#include <vector>

#include "api/emulated_device.h"
#include "support/nvrtc.h"

namespace emulator::api {

class CudaProgram : public EmulatedDevice {
 protected:
  // A module of `source`, which defines the kernel "f". Null where the emulator refuses it, which
  // fails the test.
  static CUmodule compile(const std::string& source) {
    return load_text(emulator::testing::ptx_of(source));
  }

  // A module of this PTX; null where the emulator refuses it, which fails the test.
  static CUmodule load_text(const std::string& code) {
    CUmodule module = nullptr;
    std::string log(4096, '\0');
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log.data(), std::bit_cast<void*>(log.size())};
    EXPECT_EQ(cuModuleLoadDataEx(&module, code.c_str(), 2, options, values), CUDA_SUCCESS)
        << log.c_str();
    return module;
  }

  // What the kernel "f" of `source`, which takes a pointer to `input` and one to `output_words`
  // words, leaves there.
  static std::vector<std::uint32_t> run(const std::string& source,
                                        const std::vector<std::uint32_t>& input,
                                        std::size_t output_words, const Shape& shape) {
    return run(compile(source), input, output_words, shape);
  }
  static std::vector<std::uint32_t> run(CUmodule module, const std::vector<std::uint32_t>& input,
                                        std::size_t output_words, const Shape& shape) {
    if (module == nullptr) return std::vector<std::uint32_t>(output_words);

    const CUdeviceptr in = allocate(input.size() * sizeof(std::uint32_t));
    const CUdeviceptr out = allocate(output_words * sizeof(std::uint32_t));
    EXPECT_EQ(cuMemcpyHtoD(in, input.data(), input.size() * sizeof(std::uint32_t)), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD32(out, 0, output_words), CUDA_SUCCESS);
    EXPECT_EQ(launch(kernel(module, "f"), shape, in, out), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << emuFaultReport();
    return read(out, output_words);
  }
};

}  // namespace emulator::api
