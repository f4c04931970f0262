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

std::vector<unsigned char> packed_parameters(const LaunchView& launch) {
  const unsigned char* packed = nullptr;
  std::size_t bytes = 0;
  for (void** extra = launch.extra; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      packed = static_cast<const unsigned char*>(extra[1]);
    } else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      bytes = *static_cast<const std::size_t*>(extra[1]);
    }
  }
  if (packed == nullptr) return {};
  return {packed, packed + bytes};
}

bool is_being_recorded(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return AUTOKERNEL_REAL(cuStreamIsCapturing)(stream, &status) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

std::vector<std::vector<unsigned char>> parameters_of(
    const LaunchView& launch, const std::vector<LaunchedFunction::Parameter>& listed) {
  const std::vector<unsigned char> packed = packed_parameters(launch);
  std::vector<std::vector<unsigned char>> all(listed.size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const auto& [offset, bytes] = listed[i];
    if (launch.extra != nullptr) {
      if (offset + bytes > packed.size()) continue;
      all[i].assign(packed.begin() + static_cast<std::ptrdiff_t>(offset),
                    packed.begin() + static_cast<std::ptrdiff_t>(offset + bytes));
    } else if (launch.parameters != nullptr) {
      const auto* from = static_cast<const unsigned char*>(launch.parameters[i]);
      all[i].assign(from, from + bytes);
    }
  }
  return all;
}

}  // namespace autokernel::inject
