// Loading modules and finding what is in them.
#include "api/driver.h"
#include "api/error_translation.h"
#include "api/module_loading.h"

namespace emulator::api {
namespace {

CUmodule load(const void* image, const JitOptions& options) {
  const std::shared_ptr<Context> context = current_context();
  require(image != nullptr);
  const Image read = read_image_for(options, image);
  return publish_module(*context, build_module(context->memory, read, options));
}

CUmodule load_file(const char* path) {
  const std::shared_ptr<Context> context = current_context();
  const JitOptions options;
  return publish_module(*context,
                        build_module(context->memory, read_file_for(options, path), options));
}

}  // namespace
}  // namespace emulator::api

using emulator::api::answer;
using emulator::api::current_context;
using emulator::api::JitOptions;
using emulator::api::require;

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int count,
                            CUjit_option* options, void** values) {
  return answer([&] {
    require(module != nullptr);
    *module = emulator::api::load(image, JitOptions(count, options, values));
  });
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return answer([&] {
    require(module != nullptr && path != nullptr);
    *module = emulator::api::load_file(path);
  });
}

CUresult cuModuleUnload(CUmodule handle) {
  return answer([&] { emulator::api::withdraw_module(*current_context(), handle); });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  return answer([&] {
    const auto context = current_context();
    require(function != nullptr && name != nullptr);
    *function = emulator::api::find_function(*context->module(handle), name);
  });
}

CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule handle) {
  return answer([&] {
    const auto context = current_context();
    require(count != nullptr);
    *count = static_cast<unsigned>(context->module(handle)->kernels().size());
  });
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned int count, CUmodule handle) {
  return answer([&] {
    const auto context = current_context();
    require(functions != nullptr);
    const auto module = context->module(handle);
    for (unsigned i = 0; i < count && i < module->kernels().size(); ++i) {
      functions[i] = emulator::api::handle_of(module->kernels()[i]);
    }
  });
}

CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule handle, const char* name) {
  return answer([&] {
    const auto context = current_context();
    require(name != nullptr);
    const auto module = context->module(handle);
    const auto* variable = module->find_variable(name);
    require(variable != nullptr, CUDA_ERROR_NOT_FOUND);
    if (address != nullptr) *address = variable->address;
    if (bytes != nullptr) *bytes = variable->bytes;
  });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return answer([&] {
    (void)emulator::api::Driver::get();
    require(mode != nullptr);
    *mode = CU_MODULE_EAGER_LOADING;
  });
}
