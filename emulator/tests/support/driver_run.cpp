#include "support/driver_run.h"

#include <cuda.h>
#include <dlfcn.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace emulator::testing {
namespace {

// The driver's calls by name, as cuda.h declares them.
class Driver {
 public:
  explicit Driver(const char* path) : library_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(dlerror());
  }

  template <typename Function, typename... Arguments>
  void call(Function* /*signature*/, const char* name, Arguments... arguments) const {
    auto* function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr) throw std::runtime_error(std::string(name) + " is missing");
    const CUresult result = function(arguments...);
    if (result != CUDA_SUCCESS) {
      throw std::domain_error(std::string(name) + " failed: " + std::to_string(result));
    }
  }

 private:
  void* library_;  // for the rest of the process
};

// cuda.h turns names into those of their newest versions; the text keeps up with it.
#define EMULATOR_TESTS_NAME(name) #name
#define EMULATOR_TESTS_CALL(name, ...) \
  driver.call(static_cast<decltype(&(name))>(nullptr), EMULATOR_TESTS_NAME(name), __VA_ARGS__)

// With the assembler's words, where it refuses.
void load(const Driver& driver, CUmodule& module, const std::string& ptx) {
  std::array<char, 4096> log = {};
  std::array options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values = {log.data(), std::bit_cast<void*>(log.size())};
  try {
    EMULATOR_TESTS_CALL(cuModuleLoadDataEx, &module, static_cast<const void*>(ptx.c_str()),
                        static_cast<unsigned>(options.size()), options.data(), values.data());
  } catch (const std::domain_error& failed) {
    throw std::domain_error(failed.what() + std::string("\n") + log.data());
  }
}

CUtensorMap map_of(const Driver& driver, CUdeviceptr in, const TensorOfWords& tensor) {
  CUtensorMap map = {};
  const std::array<cuuint64_t, 2> dims = {tensor.dims[0], tensor.dims[1]};
  const std::array<cuuint64_t, 1> strides = {dims[0] * sizeof(std::uint32_t)};
  const std::array<cuuint32_t, 2> apart = {1, 1};
  EMULATOR_TESTS_CALL(cuTensorMapEncodeTiled, &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2U,
                      std::bit_cast<void*>(in), dims.data(), strides.data(), tensor.box.data(),
                      apart.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

void launch_and_read(const Driver& driver, CUmodule module, const Grid& launch,
                     const std::vector<std::uint32_t>& input, std::vector<std::uint32_t>& output) {
  CUfunction kernel = nullptr;
  EMULATOR_TESTS_CALL(cuModuleEnumerateFunctions, &kernel, 1U, module);
  CUdeviceptr in = 0;
  CUdeviceptr out = 0;
  const std::size_t input_bytes = input.size() * sizeof(std::uint32_t);
  const std::size_t output_bytes = output.size() * sizeof(std::uint32_t);
  EMULATOR_TESTS_CALL(cuMemAlloc, &in, std::max<std::size_t>(input_bytes, 4));
  EMULATOR_TESTS_CALL(cuMemAlloc, &out, output_bytes);
  if (!input.empty()) EMULATOR_TESTS_CALL(cuMemcpyHtoD, in, input.data(), input_bytes);
  EMULATOR_TESTS_CALL(cuMemsetD8, out, static_cast<unsigned char>(0xcd), output_bytes);
  if (launch.dynamic_shared_bytes > 48 * 1024) {
    EMULATOR_TESTS_CALL(cuFuncSetAttribute, kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                        static_cast<int>(launch.dynamic_shared_bytes));
  }
  EMULATOR_TESTS_CALL(cuCtxSetLimit, CU_LIMIT_STACK_SIZE, launch.stack_bytes);
  CUtensorMap map = {};
  if (launch.map) map = map_of(driver, in, *launch.map);
  void* parameters[] = {&in, &out, &map};  // a kernel takes as many as it declares
  CUlaunchAttribute cluster = {};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {launch.cluster[0], launch.cluster[1], launch.cluster[2]};
  CUlaunchConfig config = {};
  config.gridDimX = launch.grid[0];
  config.gridDimY = launch.grid[1];
  config.gridDimZ = launch.grid[2];
  config.blockDimX = launch.block[0];
  config.blockDimY = launch.block[1];
  config.blockDimZ = launch.block[2];
  config.sharedMemBytes = launch.dynamic_shared_bytes;
  config.attrs = &cluster;
  config.numAttrs = launch.cluster != std::array<std::uint32_t, 3>{1, 1, 1} ? 1 : 0;
  EMULATOR_TESTS_CALL(cuLaunchKernelEx, &config, kernel, &parameters[0],
                      static_cast<void**>(nullptr));
  EMULATOR_TESTS_CALL(cuMemcpyDtoH, static_cast<void*>(output.data()), out, output_bytes);
  EMULATOR_TESTS_CALL(cuMemFree, in);
  EMULATOR_TESTS_CALL(cuMemFree, out);
}

}  // namespace

const char* driver_to_test() { return std::getenv("EMULATOR_TESTS_DRIVER"); }

Outcome run_on_driver(const char* driver_path, const std::string& ptx,
                      const std::vector<std::uint32_t>& input, std::size_t output_words,
                      const Grid& launch) {
  static const Driver driver(driver_path);
  Outcome outcome;
  outcome.words.resize(output_words);
  CUcontext context = nullptr;
  EMULATOR_TESTS_CALL(cuInit, 0U);
  EMULATOR_TESTS_CALL(cuDevicePrimaryCtxRetain, &context, CUdevice{0});  // until the process ends
  try {
    EMULATOR_TESTS_CALL(cuCtxSetCurrent, context);
    CUmodule module = nullptr;
    load(driver, module, ptx);
    launch_and_read(driver, module, launch, input, outcome.words);
    EMULATOR_TESTS_CALL(cuModuleUnload, module);
  } catch (const std::domain_error& failed) {
    outcome.fault = failed.what();
    // A fault stays until its context is gone.
    EMULATOR_TESTS_CALL(cuDevicePrimaryCtxReset, CUdevice{0});
  }
  return outcome;
}

}  // namespace emulator::testing
