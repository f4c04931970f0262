#include "autokernel/driver/module.h"

#include "driver/api.h"
#include "driver/status.h"

namespace autokernel::driver {
namespace {

// Asked one by one until the driver says that there is no such parameter.
std::vector<Parameter> parameters_of(const Api& api, CUfunction function, const std::string& name) {
  std::vector<Parameter> parameters;
  for (;;) {
    Parameter next;
    const CUresult status =
        api.function_parameter_info(function, parameters.size(), &next.offset, &next.bytes);
    if (status == CUDA_ERROR_INVALID_VALUE) return parameters;
    check(api, status, "cuFuncGetParamInfo", "read the parameters of the kernel " + name);
    parameters.push_back(next);
  }
}

}  // namespace

std::optional<Kernel> Module::kernel(const std::string& name) const {
  CUfunction function = nullptr;
  const CUresult status = api_->module_get_function(&function, handle_.get(), name.c_str());
  if (status == CUDA_ERROR_NOT_FOUND) return std::nullopt;
  check(*api_, status, "cuModuleGetFunction", "find the kernel " + name);
  return Kernel(function, parameters_of(*api_, function, name));
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
