// The seam between a GPU and none: the CUDA driver functions this program calls, as a table. Filled
// from libcuda.so.1 or from the emulated driver; a test may put functions of its own into a copy.
#pragma once

#include <cuda.h>
#include <emulated_cuda.h>

#include <filesystem>
#include <memory>
#include <string>

namespace autokernel::driver {

// A null member is a function that this driver lacks.
struct Api {
  decltype(&::cuInit) init = nullptr;
  decltype(&::cuDriverGetVersion) driver_get_version = nullptr;
  decltype(&::cuGetErrorName) get_error_name = nullptr;
  decltype(&::cuGetErrorString) get_error_string = nullptr;
  decltype(&::cuDeviceGetCount) device_get_count = nullptr;
  decltype(&::cuDeviceGet) device_get = nullptr;
  decltype(&::cuDeviceGetName) device_get_name = nullptr;
  decltype(&::cuDeviceGetAttribute) device_get_attribute = nullptr;
  decltype(&::cuDeviceTotalMem) device_total_mem = nullptr;
  decltype(&::cuDeviceGetPCIBusId) device_pci_bus_id = nullptr;
  decltype(&::cuDevicePrimaryCtxRetain) primary_context_retain = nullptr;
  decltype(&::cuDevicePrimaryCtxRelease) primary_context_release = nullptr;
  decltype(&::cuCtxSetCurrent) context_set_current = nullptr;
  decltype(&::cuCtxSetLimit) context_set_limit = nullptr;
  decltype(&::cuCtxResetPersistingL2Cache) context_reset_persisting_l2 = nullptr;
  decltype(&::cuModuleLoadDataEx) module_load_data = nullptr;
  decltype(&::cuModuleUnload) module_unload = nullptr;
  decltype(&::cuModuleGetFunction) module_get_function = nullptr;
  decltype(&::cuModuleGetGlobal) module_get_global = nullptr;
  decltype(&::cuFuncSetAttribute) function_set_attribute = nullptr;
  decltype(&::cuFuncGetParamInfo) function_parameter_info = nullptr;
  decltype(&::cuLaunchKernelEx) launch_kernel = nullptr;
  decltype(&::cuTensorMapEncodeTiled) tensor_map_encode_tiled = nullptr;
  decltype(&::cuTensorMapEncodeIm2col) tensor_map_encode_im2col = nullptr;
  decltype(&::cuMemAlloc) memory_allocate = nullptr;
  decltype(&::cuMemFree) memory_free = nullptr;
  decltype(&::cuMemHostAlloc) host_memory_allocate = nullptr;
  decltype(&::cuMemFreeHost) host_memory_free = nullptr;
  decltype(&::cuMemHostGetDevicePointer) host_memory_device_pointer = nullptr;
  decltype(&::cuMemGetAddressRange) memory_range = nullptr;
  decltype(&::cuIpcGetMemHandle) shared_memory_handle = nullptr;
  decltype(&::cuIpcOpenMemHandle) shared_memory_open = nullptr;
  decltype(&::cuIpcCloseMemHandle) shared_memory_close = nullptr;
  decltype(&::cuMemcpyDtoDAsync) copy_within_device = nullptr;
  decltype(&::cuMemcpyHtoD) copy_to_device = nullptr;
  decltype(&::cuMemcpyDtoH) copy_to_host = nullptr;
  decltype(&::cuMemsetD8Async) set_bytes = nullptr;
  decltype(&::cuStreamCreate) stream_create = nullptr;
  decltype(&::cuStreamDestroy) stream_destroy = nullptr;
  decltype(&::cuStreamSynchronize) stream_synchronize = nullptr;
  decltype(&::cuEventCreate) event_create = nullptr;
  decltype(&::cuEventDestroy) event_destroy = nullptr;
  decltype(&::cuEventRecord) event_record = nullptr;
  decltype(&::cuEventElapsedTime) event_elapsed_time = nullptr;

  // The emulated driver's own: what it knows about the last fault beyond its code, and its version
  // and settings.
  decltype(&::emuFaultReport) emu_fault_report = nullptr;
  decltype(&::emuFault) emu_fault = nullptr;
  decltype(&::emuRefusal) emu_refusal = nullptr;
  decltype(&::emuWhereabouts) emu_whereabouts = nullptr;
  decltype(&::emuWarpOrder) emu_warp_order = nullptr;
  decltype(&::emuVersion) emu_version = nullptr;
  decltype(&::emuSettings) emu_settings = nullptr;
};

// Opens a driver library and fills the table from it; the library stays open as long as the table
// lives. Null where there is no such library, and then `why` says what the loader said. Throws
// Error(environment) where the library is there but lacks a function every driver has.
[[nodiscard]] std::shared_ptr<const Api> open_library(const std::filesystem::path& library,
                                                      std::string& why);

}  // namespace autokernel::driver
