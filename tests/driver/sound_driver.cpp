#include "driver/sound_driver.h"

#include <array>
#include <cstring>

namespace autokernel::driver {
namespace {

// Something for handles to point at; nothing is ever read there.
int handle_target = 0;

template <typename Handle>
Handle some_handle() {
  return reinterpret_cast<Handle>(&handle_target);
}

constexpr CUdeviceptr kAddress = 0x1000;
constexpr int kMegahertz = 1000;  // in kHz

CUresult attribute(int* value, CUdevice_attribute name, CUdevice /*device*/) {
  switch (name) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 9;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = 0;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 132;
      break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      *value = 1980 * kMegahertz;
      break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      *value = 3201 * kMegahertz;
      break;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      *value = 6144;
      break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      *value = 50 << 20;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

const char* name_of_status(CUresult status) {
  switch (status) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return "CUDA_ERROR_OUT_OF_MEMORY";
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return "CUDA_ERROR_ILLEGAL_ADDRESS";
    case CUDA_ERROR_INVALID_VALUE:
      return "CUDA_ERROR_INVALID_VALUE";
    default:
      return "CUDA_ERROR_OF_SOME_KIND";
  }
}

}  // namespace

Api sound_driver() {
  Api api;
  api.init = [](unsigned) { return CUDA_SUCCESS; };
  api.driver_get_version = [](int* version) {
    *version = 13000;
    return CUDA_SUCCESS;
  };
  api.get_error_name = [](CUresult status, const char** name) {
    *name = name_of_status(status);
    return CUDA_SUCCESS;
  };
  api.get_error_string = [](CUresult, const char** text) {
    *text = "words of the driver";
    return CUDA_SUCCESS;
  };
  api.device_get_count = [](int* count) {
    *count = 1;
    return CUDA_SUCCESS;
  };
  api.device_get = [](CUdevice* device, int ordinal) {
    *device = ordinal;
    return CUDA_SUCCESS;
  };
  api.device_get_name = [](char* name, int length, CUdevice) {
    std::strncpy(name, "NVIDIA H200", static_cast<std::size_t>(length));
    return CUDA_SUCCESS;
  };
  api.device_get_attribute = attribute;
  api.device_total_mem = [](std::size_t* bytes, CUdevice) {
    *bytes = std::size_t{141} << 30U;
    return CUDA_SUCCESS;
  };
  api.primary_context_retain = [](CUcontext* context, CUdevice) {
    *context = some_handle<CUcontext>();
    return CUDA_SUCCESS;
  };
  api.primary_context_release = [](CUdevice) { return CUDA_SUCCESS; };
  api.context_set_current = [](CUcontext) { return CUDA_SUCCESS; };
  api.context_set_limit = [](CUlimit, std::size_t) { return CUDA_SUCCESS; };
  api.context_reset_persisting_l2 = [] { return CUDA_SUCCESS; };
  api.module_load_data = [](CUmodule* module, const void*, unsigned, CUjit_option*, void**) {
    *module = some_handle<CUmodule>();
    return CUDA_SUCCESS;
  };
  api.module_unload = [](CUmodule) { return CUDA_SUCCESS; };
  api.module_get_function = [](CUfunction* function, CUmodule, const char*) {
    *function = some_handle<CUfunction>();
    return CUDA_SUCCESS;
  };
  api.module_get_global = [](CUdeviceptr* address, std::size_t* bytes, CUmodule, const char*) {
    *address = kAddress;
    *bytes = 64;
    return CUDA_SUCCESS;
  };
  // A kernel without parameters.
  api.function_parameter_info = [](CUfunction, std::size_t, std::size_t*, std::size_t*) {
    return CUDA_ERROR_INVALID_VALUE;
  };
  api.function_set_attribute = [](CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; };
  api.launch_kernel = [](const CUlaunchConfig*, CUfunction, void**, void**) {
    return CUDA_SUCCESS;
  };
  api.memory_allocate = [](CUdeviceptr* address, std::size_t) {
    *address = kAddress;
    return CUDA_SUCCESS;
  };
  api.memory_free = [](CUdeviceptr) { return CUDA_SUCCESS; };
  api.host_memory_allocate = [](void** host, std::size_t, unsigned) {
    *host = &handle_target;
    return CUDA_SUCCESS;
  };
  api.host_memory_free = [](void*) { return CUDA_SUCCESS; };
  api.host_memory_device_pointer = [](CUdeviceptr* address, void*, unsigned) {
    *address = kAddress;
    return CUDA_SUCCESS;
  };
  api.copy_to_device = [](CUdeviceptr, const void*, std::size_t) { return CUDA_SUCCESS; };
  api.copy_to_host = [](void*, CUdeviceptr, std::size_t) { return CUDA_SUCCESS; };
  api.set_bytes = [](CUdeviceptr, unsigned char, std::size_t, CUstream) { return CUDA_SUCCESS; };
  api.stream_create = [](CUstream* stream, unsigned) {
    *stream = some_handle<CUstream>();
    return CUDA_SUCCESS;
  };
  api.stream_destroy = [](CUstream) { return CUDA_SUCCESS; };
  api.stream_synchronize = [](CUstream) { return CUDA_SUCCESS; };
  api.event_create = [](CUevent* event, unsigned) {
    *event = some_handle<CUevent>();
    return CUDA_SUCCESS;
  };
  api.event_destroy = [](CUevent) { return CUDA_SUCCESS; };
  api.event_record = [](CUevent, CUstream) { return CUDA_SUCCESS; };
  api.event_elapsed_time = [](float* milliseconds, CUevent, CUevent) {
    *milliseconds = 1.5F;
    return CUDA_SUCCESS;
  };
  return api;
}

}  // namespace autokernel::driver
