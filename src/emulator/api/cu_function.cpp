// Kernels: what they need and how they may be launched.
#include <algorithm>

#include "emulator/api/answer.h"
#include "emulator/api/driver.h"
#include "emulator/api/limits.h"

namespace emulator::api {
namespace {

int attribute(const Kernel& kernel, CUfunction_attribute which) {
  const jit::KernelLayout& layout = kernel.layout();
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return static_cast<int>(kernel.max_threads());
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return static_cast<int>(layout.static_shared_bytes);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      return static_cast<int>(layout.constant_bytes);
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return static_cast<int>(layout.local_bytes_per_thread);
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return kernel.target();
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return kernel.max_dynamic_shared_bytes;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return kernel.carveout;
    default:
      // There are no registers to count, and clusters are not supported.
      require(which > 0 && which < CU_FUNC_ATTRIBUTE_MAX);
      return 0;
  }
}

void set_attribute(Kernel& kernel, CUfunction_attribute which, int value) {
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      require(value >= 0 &&
              static_cast<std::uint32_t>(value) + kernel.layout().static_shared_bytes <=
                  kOptInSharedBytes);
      kernel.max_dynamic_shared_bytes = value;
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      require(value >= -1 && value <= 100);
      kernel.carveout = value;
      break;
    default:
      throw Refusal(CUDA_ERROR_INVALID_VALUE);
  }
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::current_context;
using emulator::api::require;

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction function) {
  return answer([&] {
    const auto context = current_context();
    require(value != nullptr);
    *value = emulator::api::attribute(*context->kernel(function), which);
  });
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value) {
  return answer([&] {
    const auto context = current_context();
    emulator::api::set_attribute(*context->kernel(function), which, value);
  });
}

// A preference, which a driver is free not to follow.
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache) {
  return answer([&] {
    const auto context = current_context();
    (void)context->kernel(function);
  });
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  return answer([&] {
    const auto context = current_context();
    require(module != nullptr);
    *module = static_cast<CUmodule>(context->kernel(function)->owner.load());
  });
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
  return answer([&] {
    const auto context = current_context();
    require(name != nullptr);
    *name = context->kernel(function)->function().name.c_str();
  });
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
  return answer([&] {
    const auto context = current_context();
    const auto kernel = context->kernel(function);
    const auto& parameters = kernel->layout().parameters;
    require(offset != nullptr && index < parameters.size());
    *offset = parameters[index].offset;
    if (bytes != nullptr) *bytes = parameters[index].size;
  });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  return answer([&] {
    const auto context = current_context();
    require(state != nullptr);
    (void)context->kernel(function);
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
  });
}

CUresult cuFuncLoad(CUfunction function) {
  return answer([&] {
    const auto context = current_context();
    (void)context->kernel(function);
  });
}
