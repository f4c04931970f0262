#include "driver_library.h"

#include <dlfcn.h>

#include "loaded_library.h"

namespace recording {
namespace {

template <typename Function>
void get(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
}

}  // namespace

DriverLibrary find_driver() {
  DriverLibrary driver;
  void* handle = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) handle = loaded_library("libcuda.so");
  if (handle == nullptr) return driver;
  get(handle, "cuDeviceGetCount", driver.device_count);
  get(handle, "cuDeviceGet", driver.device);
  get(handle, "cuDeviceGetName", driver.device_name);
  get(handle, "cuDeviceGetAttribute", driver.device_attribute);
  get(handle, "cuDeviceTotalMem_v2", driver.device_memory);
  get(handle, "cuStreamIsCapturing", driver.is_capturing);
  get(handle, "cuStreamIsCapturing_ptsz", driver.is_capturing_per_thread);
  return driver;
}

}  // namespace recording
