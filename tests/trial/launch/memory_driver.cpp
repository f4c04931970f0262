#include "trial/launch/memory_driver.h"

#include <cstdlib>
#include <cstring>
#include <set>

namespace autokernel::trial {
namespace {

MemoryDriver* living = nullptr;
int handle_target = 0;

template <typename Handle>
CUresult give(Handle* to) {
  *to = reinterpret_cast<Handle>(&handle_target);
  return CUDA_SUCCESS;
}

CUresult note(const std::string& line) {
  living->journal.push_back(line);
  return CUDA_SUCCESS;
}

void* memory_at(CUdeviceptr address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the addresses this driver hands out are pointers.
  return reinterpret_cast<void*>(address);
}

CUresult attribute(int* value, CUdevice_attribute name, CUdevice /*device*/) {
  static const std::map<CUdevice_attribute, int> kAttributes = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1'980'000},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3'201'000},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 16},
  };
  *value = kAttributes.at(name);
  return CUDA_SUCCESS;
}

// A function's handle is the address of its name.
CUresult get_function(CUfunction* function, CUmodule /*module*/, const char* name) {
  static std::set<std::string> names;
  *function = reinterpret_cast<CUfunction>(const_cast<std::string*>(&*names.emplace(name).first));
  return CUDA_SUCCESS;
}

// The candidate's kernel takes three pointers, and nobody looks at those of the harness.
CUresult parameter_info(CUfunction function, std::size_t index, std::size_t* offset,
                        std::size_t* bytes) {
  constexpr std::size_t kTensors = 3;
  const std::string& name = *reinterpret_cast<const std::string*>(function);
  if (name != "matmul" || index >= kTensors) return CUDA_ERROR_INVALID_VALUE;
  *offset = index * sizeof(void*);
  *bytes = sizeof(void*);
  return CUDA_SUCCESS;
}

CUresult launch(const CUlaunchConfig*, CUfunction function, void** parameters, void**) {
  const std::string& name = *reinterpret_cast<const std::string*>(function);
  static_cast<void>(note("launch " + name));
  const auto kernel = living->kernels.find(name);
  if (kernel != living->kernels.end()) kernel->second(parameters);
  return CUDA_SUCCESS;
}

driver::Api table() {
  driver::Api api;
  api.init = [](unsigned) { return CUDA_SUCCESS; };
  api.driver_get_version = [](int* version) {
    *version = 13000;
    return CUDA_SUCCESS;
  };
  api.device_get = [](CUdevice* device, int) {
    *device = 0;
    return CUDA_SUCCESS;
  };
  api.device_get_name = [](char* name, int, CUdevice) {
    std::strcpy(name, "memory");
    return CUDA_SUCCESS;
  };
  api.device_get_attribute = attribute;
  api.device_total_mem = [](std::size_t* bytes, CUdevice) {
    *bytes = 1U << 30U;
    return CUDA_SUCCESS;
  };
  api.primary_context_retain = [](CUcontext* context, CUdevice) { return give(context); };
  api.primary_context_release = [](CUdevice) { return CUDA_SUCCESS; };
  api.context_set_current = [](CUcontext) { return CUDA_SUCCESS; };
  api.context_reset_persisting_l2 = [] { return note("reset L2"); };
  api.module_load_data = [](CUmodule* module, const void*, unsigned, CUjit_option*, void**) {
    return give(module);
  };
  api.module_unload = [](CUmodule) { return CUDA_SUCCESS; };
  api.module_get_function = get_function;
  api.function_parameter_info = parameter_info;
  api.launch_kernel = launch;
  api.memory_allocate = [](CUdeviceptr* address, std::size_t bytes) {
    *address = reinterpret_cast<CUdeviceptr>(std::calloc(bytes, 1));
    return CUDA_SUCCESS;
  };
  api.memory_free = [](CUdeviceptr address) {
    std::free(memory_at(address));
    return CUDA_SUCCESS;
  };
  api.host_memory_allocate = [](void** host, std::size_t bytes, unsigned) {
    *host = std::calloc(bytes, 1);
    return CUDA_SUCCESS;
  };
  api.host_memory_free = [](void* host) {
    std::free(host);
    return CUDA_SUCCESS;
  };
  api.host_memory_device_pointer = [](CUdeviceptr* address, void* host, unsigned) {
    *address = reinterpret_cast<CUdeviceptr>(host);
    return CUDA_SUCCESS;
  };
  api.copy_to_device = [](CUdeviceptr to, const void* from, std::size_t bytes) {
    std::memcpy(memory_at(to), from, bytes);
    return CUDA_SUCCESS;
  };
  api.copy_to_host = [](void* to, CUdeviceptr from, std::size_t bytes) {
    std::memcpy(to, memory_at(from), bytes);
    return CUDA_SUCCESS;
  };
  api.set_bytes = [](CUdeviceptr address, unsigned char byte, std::size_t bytes, CUstream) {
    std::memset(memory_at(address), byte, bytes);
    return note("zero " + std::to_string(bytes));
  };
  // Another process's memory is this one's; all of it has room for kSharedBytes.
  api.shared_memory_handle = [](CUipcMemHandle* handle, CUdeviceptr address) {
    std::memcpy(handle->reserved, &address, sizeof address);
    return CUDA_SUCCESS;
  };
  api.shared_memory_open = [](CUdeviceptr* address, CUipcMemHandle handle, unsigned) {
    std::memcpy(address, handle.reserved, sizeof *address);
    return *address == 0 ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
  };
  api.shared_memory_close = [](CUdeviceptr) { return note("close shared memory"); };
  api.memory_range = [](CUdeviceptr* begin, std::size_t* bytes, CUdeviceptr address) {
    *begin = address;
    *bytes = kSharedBytes;
    return CUDA_SUCCESS;
  };
  api.copy_within_device = [](CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
    std::memcpy(memory_at(to), memory_at(from), bytes);
    return note("copy " + std::to_string(bytes));
  };
  api.stream_create = [](CUstream* stream, unsigned) { return give(stream); };
  api.stream_destroy = [](CUstream) { return CUDA_SUCCESS; };
  api.stream_synchronize = [](CUstream) { return note("wait"); };
  api.event_create = [](CUevent* event, unsigned) { return give(event); };
  api.event_destroy = [](CUevent) { return CUDA_SUCCESS; };
  api.event_record = [](CUevent, CUstream) { return note("record"); };
  api.event_elapsed_time = [](float* milliseconds, CUevent, CUevent) {
    *milliseconds = living->microseconds / 1000;
    return CUDA_SUCCESS;
  };
  return api;
}

}  // namespace

MemoryDriver::MemoryDriver() {
  living = this;
  driver_ = std::make_unique<driver::Driver>(std::make_shared<const driver::Api>(table()),
                                             driver::Origin::gpu, 0);
  device_ = std::make_unique<driver::Device>(*driver_);
}

MemoryDriver::~MemoryDriver() {
  device_.reset();
  living = nullptr;
}

}  // namespace autokernel::trial
