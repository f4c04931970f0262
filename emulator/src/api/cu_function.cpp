// Kernels: what they need and how they may be launched.
#include "api/driver.h"
#include "api/error_translation.h"
#include "api/function_attributes.h"

using emulator::api::answer;
using emulator::api::current_context;
using emulator::api::require;

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction function) {
  return answer([&] {
    const auto context = current_context();
    require(value != nullptr);
    *value = emulator::api::attribute_of(*context->kernel(function), which);
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
