#include "autokernel/driver/module.h"

#include "driver/api.h"
#include "driver/status.h"

namespace autokernel::driver {

std::optional<Kernel> Module::kernel(const std::string& name) const {
  CUfunction function = nullptr;
  const CUresult status = api_->module_get_function(&function, handle_.get(), name.c_str());
  if (status == CUDA_ERROR_NOT_FOUND) return std::nullopt;
  check(*api_, status, "cuModuleGetFunction", "find the kernel " + name);
  return Kernel(function);
}

std::optional<Object> Module::object(const std::string& name) const {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  const CUresult status = api_->module_get_global(&address, &bytes, handle_.get(), name.c_str());
  if (status == CUDA_ERROR_NOT_FOUND) return std::nullopt;
  check(*api_, status, "cuModuleGetGlobal", "find the module-scope object " + name);
  return Object{address, bytes};
}

}  // namespace autokernel::driver
