#include "driver/launch_view.h"

#include "driver/real_driver.h"

namespace autokernel::inject {

LaunchedFunction::LaunchedFunction(CUfunction handle) : function_(handle) {
  const char* name = nullptr;
  if (AUTOKERNEL_REAL(cuFuncGetName)(&name, handle) == CUDA_SUCCESS && name != nullptr) {
    name_ = name;
    return;
  }
  auto* const kernel = reinterpret_cast<CUkernel>(handle);
  if (AUTOKERNEL_REAL(cuKernelGetName)(&name, kernel) == CUDA_SUCCESS && name != nullptr) {
    name_ = name;
    kernel_ = kernel;
  }
}

CodeHandle LaunchedFunction::code() const {
  CodeHandle code;
  if (kernel_ != nullptr) {
    (void)AUTOKERNEL_REAL(cuKernelGetLibrary)(&code.library, kernel_);
  } else {
    (void)AUTOKERNEL_REAL(cuFuncGetModule)(&code.module, function_);
  }
  return code;
}

bool LaunchedFunction::list_parameters(std::vector<Parameter>& parameters) const {
  parameters.clear();
  for (std::size_t index = 0;; ++index) {
    Parameter parameter{};
    const CUresult result = kernel_ != nullptr
                                ? AUTOKERNEL_REAL(cuKernelGetParamInfo)(
                                      kernel_, index, &parameter.offset, &parameter.bytes)
                                : AUTOKERNEL_REAL(cuFuncGetParamInfo)(
                                      function_, index, &parameter.offset, &parameter.bytes);
    if (result == CUDA_ERROR_NOT_FOUND || result == CUDA_ERROR_NO_DEVICE) return false;
    if (result != CUDA_SUCCESS) return true;  // there are no more
    parameters.push_back(parameter);
  }
}

int LaunchedFunction::attribute(CUfunction_attribute which) const {
  int value = 0;
  if (kernel_ != nullptr) {
    CUdevice device = 0;
    (void)AUTOKERNEL_REAL(cuCtxGetDevice)(&device);
    (void)AUTOKERNEL_REAL(cuKernelGetAttribute)(&value, which, kernel_, device);
  } else {
    (void)AUTOKERNEL_REAL(cuFuncGetAttribute)(&value, which, function_);
  }
  return value;
}

}  // namespace autokernel::inject
