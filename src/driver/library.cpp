#include <dlfcn.h>

#include "autokernel/base/error.h"
#include "driver/api.h"

namespace autokernel::driver {
namespace {

// Fills members of the table by name. The names carry the versions this program is written against:
// the plain ones stay exported for programs of CUDA 3 and mean something else, and cuGetProcAddress
// would give nothing that these do not.
class Symbols {
 public:
  Symbols(void* library, const std::filesystem::path& path) : library_(library), path_(path) {}

  template <typename Function>
  void find(Function& function, const char* name) const {
    find_if_there(function, name);
    if (function == nullptr) {
      throw Error(Stop::environment,
                  "cannot use " + path_.string() + " as a CUDA driver: it has no " + name +
                      "; install a driver for CUDA 12.4 or later, or pass --device cpu [dlsym]");
    }
  }

  template <typename Function>
  void find_if_there(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(dlsym(library_, name));
  }

 private:
  void* library_;
  const std::filesystem::path& path_;
};

}  // namespace

std::shared_ptr<const Api> open_library(const std::filesystem::path& library, std::string& why) {
  // A driver has threads of its own and does not expect to be unloaded under them: it stays until
  // the process ends.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* text = dlerror();
    why = text != nullptr ? text : "the loader gave no reason";
    return nullptr;
  }
  auto api = std::make_shared<Api>();
  const Symbols symbols(handle, library);
  symbols.find(api->init, "cuInit");
  symbols.find(api->driver_get_version, "cuDriverGetVersion");
  symbols.find(api->get_error_name, "cuGetErrorName");
  symbols.find(api->get_error_string, "cuGetErrorString");
  symbols.find(api->device_get_count, "cuDeviceGetCount");
  symbols.find(api->device_get, "cuDeviceGet");
  symbols.find(api->device_get_name, "cuDeviceGetName");
  symbols.find(api->device_get_attribute, "cuDeviceGetAttribute");
  symbols.find(api->device_total_mem, "cuDeviceTotalMem_v2");
  symbols.find_if_there(api->device_pci_bus_id, "cuDeviceGetPCIBusId");
  symbols.find(api->primary_context_retain, "cuDevicePrimaryCtxRetain");
  symbols.find(api->primary_context_release, "cuDevicePrimaryCtxRelease_v2");
  symbols.find(api->context_set_current, "cuCtxSetCurrent");
  symbols.find_if_there(api->context_set_limit, "cuCtxSetLimit");
  symbols.find_if_there(api->context_reset_persisting_l2, "cuCtxResetPersistingL2Cache");
  symbols.find(api->module_load_data, "cuModuleLoadDataEx");
  symbols.find(api->module_unload, "cuModuleUnload");
  symbols.find(api->module_get_function, "cuModuleGetFunction");
  symbols.find(api->module_get_global, "cuModuleGetGlobal_v2");
  symbols.find(api->function_set_attribute, "cuFuncSetAttribute");
  symbols.find(api->function_parameter_info, "cuFuncGetParamInfo");
  symbols.find(api->launch_kernel, "cuLaunchKernelEx");
  symbols.find_if_there(api->tensor_map_encode_tiled, "cuTensorMapEncodeTiled");
  symbols.find_if_there(api->tensor_map_encode_im2col, "cuTensorMapEncodeIm2col");
  symbols.find(api->memory_allocate, "cuMemAlloc_v2");
  symbols.find(api->memory_free, "cuMemFree_v2");
  symbols.find_if_there(api->host_memory_allocate, "cuMemHostAlloc");
  symbols.find_if_there(api->host_memory_free, "cuMemFreeHost");
  symbols.find_if_there(api->host_memory_device_pointer, "cuMemHostGetDevicePointer_v2");
  symbols.find_if_there(api->memory_range, "cuMemGetAddressRange_v2");
  symbols.find_if_there(api->shared_memory_handle, "cuIpcGetMemHandle");
  symbols.find_if_there(api->shared_memory_open, "cuIpcOpenMemHandle_v2");
  symbols.find_if_there(api->shared_memory_close, "cuIpcCloseMemHandle");
  symbols.find_if_there(api->copy_within_device, "cuMemcpyDtoDAsync_v2");
  symbols.find(api->copy_to_device, "cuMemcpyHtoD_v2");
  symbols.find(api->copy_to_host, "cuMemcpyDtoH_v2");
  symbols.find(api->set_bytes, "cuMemsetD8Async");
  symbols.find(api->stream_create, "cuStreamCreate");
  symbols.find(api->stream_destroy, "cuStreamDestroy_v2");
  symbols.find(api->stream_synchronize, "cuStreamSynchronize");
  symbols.find(api->event_create, "cuEventCreate");
  symbols.find(api->event_destroy, "cuEventDestroy_v2");
  symbols.find(api->event_record, "cuEventRecord");
  // Not the _v2 that newer headers name: drivers before 12.8 lack it, and the result is the same.
  symbols.find(api->event_elapsed_time, "cuEventElapsedTime");
  symbols.find_if_there(api->emu_fault_report, "emuFaultReport");
  symbols.find_if_there(api->emu_fault, "emuFault");
  symbols.find_if_there(api->emu_refusal, "emuRefusal");
  symbols.find_if_there(api->emu_whereabouts, "emuWhereabouts");
  symbols.find_if_there(api->emu_warp_order, "emuWarpOrder");
  symbols.find_if_there(api->emu_version, "emuVersion");
  symbols.find_if_there(api->emu_settings, "emuSettings");
  return api;
}

}  // namespace autokernel::driver
