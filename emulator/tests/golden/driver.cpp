#include "golden/driver.h"

#include <dlfcn.h>

#include <bit>
#include <cstdlib>
#include <stdexcept>

namespace emulator::golden {
namespace {

// For the rest of the process.
void* library = nullptr;

template <typename Function>
Function* entry(Function* /*signature*/, const char* name) {
  auto* function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string(name) + " is missing");
  return function;
}

void check(CUresult result, const char* name) {
  if (result == CUDA_SUCCESS) return;
  throw std::runtime_error(std::string(name) + " failed: " + std::to_string(result));
}

// cuda.h turns names into those of their newest versions; the text keeps up with it.
#define GOLDEN_NAME(name) #name  // NOLINT(bugprone-macro-parentheses)
#define GOLDEN_CALL(name, ...) \
  check(entry(static_cast<decltype(&(name))>(nullptr), GOLDEN_NAME(name))(__VA_ARGS__), #name)

// The primary one, retained until the process ends.
void use_context() {
  CUcontext context = nullptr;
  GOLDEN_CALL(cuDevicePrimaryCtxRetain, &context, CUdevice{0});
  GOLDEN_CALL(cuCtxSetCurrent, context);
}

// With the assembler's words, where it refuses.
CUmodule loaded(const std::string& ptx) {
  std::array<char, 4096> log = {};
  std::array options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values = {log.data(), std::bit_cast<void*>(log.size())};
  CUmodule module = nullptr;
  try {
    GOLDEN_CALL(cuModuleLoadDataEx, &module, ptx.c_str(), static_cast<unsigned>(options.size()),
                options.data(), values.data());
  } catch (const std::runtime_error& failed) {
    throw std::runtime_error(failed.what() + std::string("\n") + log.data());
  }
  return module;
}

}  // namespace

Memory::Memory(std::size_t bytes) : bytes_(bytes) {
  GOLDEN_CALL(cuMemAlloc, &address_, bytes);
  constexpr unsigned char kUntouched = 0xcd;
  GOLDEN_CALL(cuMemsetD8, address_, kUntouched, bytes);
}

Memory::Memory(std::span<const std::uint32_t> words) : Memory(words.size_bytes()) {
  GOLDEN_CALL(cuMemcpyHtoD, address_, words.data(), words.size_bytes());
}

Memory::~Memory() { entry(static_cast<decltype(&cuMemFree)>(nullptr), "cuMemFree_v2")(address_); }

Words Memory::read() const {
  Words words(bytes_ / sizeof(std::uint32_t));
  GOLDEN_CALL(cuMemcpyDtoH, words.data(), address_, words.size() * sizeof(std::uint32_t));
  return words;
}

CUtensorMap TensorMap::over(CUdeviceptr memory) const {
  CUtensorMap map = {};
  const auto rank = static_cast<std::uint32_t>(dims.size());
  void* address = std::bit_cast<void*>(memory);
  constexpr std::uint64_t kNoStride = 0;  // of one dimension; a null pointer is refused
  const std::uint64_t* const apart = strides.empty() ? &kNoStride : strides.data();
  if (box.empty()) {
    GOLDEN_CALL(cuTensorMapEncodeIm2col, &map, type, rank, address, dims.data(), apart,
                lower.data(), upper.data(), channels, pixels, element_strides.data(), interleave,
                swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
  } else {
    GOLDEN_CALL(cuTensorMapEncodeTiled, &map, type, rank, address, dims.data(), apart, box.data(),
                element_strides.data(), interleave, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, fill);
  }
  return map;
}

void start_again() {
  GOLDEN_CALL(cuDevicePrimaryCtxReset, CUdevice{0});
  use_context();
}

void open_driver() {
  const char* path = std::getenv("EMULATOR_TESTS_DRIVER");
  if (path == nullptr) path = EMULATED_DRIVER;
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  GOLDEN_CALL(cuInit, 0U);
  use_context();
}

std::string device_name() {
  std::array<char, 256> name = {};
  GOLDEN_CALL(cuDeviceGetName, name.data(), static_cast<int>(name.size()), CUdevice{0});
  return name.data();
}

void run(const std::string& ptx, const Shape& shape, std::span<const CUtensorMap> maps,
         std::span<const CUdeviceptr> pointers) {
  CUmodule module = loaded(ptx);
  CUfunction kernel = nullptr;
  GOLDEN_CALL(cuModuleEnumerateFunctions, &kernel, 1U, module);
  if (shape.shared_bytes > 0) {
    GOLDEN_CALL(cuFuncSetAttribute, kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                static_cast<int>(shape.shared_bytes));
  }
  if (shape.cluster > 8) {
    GOLDEN_CALL(cuFuncSetAttribute, kernel, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  }
  std::vector<void*> parameters;
  for (const CUtensorMap& map : maps) parameters.push_back(const_cast<CUtensorMap*>(&map));
  for (const CUdeviceptr& pointer : pointers)
    parameters.push_back(const_cast<CUdeviceptr*>(&pointer));
  CUlaunchAttribute cluster = {};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {shape.cluster, 1, 1};
  CUlaunchConfig config = {};
  config.gridDimX = shape.blocks;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = shape.threads;
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = shape.shared_bytes;
  config.attrs = &cluster;
  config.numAttrs = shape.cluster > 1 ? 1 : 0;
  GOLDEN_CALL(cuLaunchKernelEx, &config, kernel, parameters.data(), nullptr);
  const CUresult result =
      entry(static_cast<decltype(&cuCtxSynchronize)>(nullptr), "cuCtxSynchronize")();
  if (result != CUDA_SUCCESS) throw Fault{static_cast<int>(result)};
  GOLDEN_CALL(cuModuleUnload, module);
}

}  // namespace emulator::golden
