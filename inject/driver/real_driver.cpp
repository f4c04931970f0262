#include "driver/real_driver.h"

#include <cuda.h>
#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr const char* const kNames[] = {
#include "forwarded_entries.inc"
};
constexpr std::size_t kEntries = sizeof kNames / sizeof *kNames;

// Where NVIDIA's driver lies in distributions and in containers.
constexpr std::array kPlaces = {"/usr/lib/x86_64-linux-gnu/libcuda.so.1",
                                "/usr/lib64/libcuda.so.1",
                                "/usr/lib/libcuda.so.1",
                                "/usr/local/nvidia/lib64/libcuda.so.1",
                                "/usr/lib/wsl/lib/libcuda.so.1",
                                "/run/opengl-driver/lib/libcuda.so.1"};

void* library = nullptr;

// What the driver lacks, and everything where there is no driver.
CUresult missing() { return library == nullptr ? CUDA_ERROR_NO_DEVICE : CUDA_ERROR_NOT_FOUND; }

// By its path: a library of that name is loaded already, and glibc looks only by names without '/'.
void* opened(const char* path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }

}  // namespace

extern "C" {
// forwarded_entries.S jumps through it.
__attribute__((visibility("hidden"))) void* forwarded_entries[kEntries];
}

namespace autokernel::inject {

// Before everything else in this library: the program may call as soon as it is loaded.
__attribute__((constructor(101))) static void open_driver() {
  const char* path = std::getenv("AUTOKERNEL_DRIVER");
  if (path != nullptr && *path != '\0') {
    library = opened(path);
    if (library == nullptr) std::fprintf(stderr, "autokernel: %s\n", dlerror());
  } else {
    for (std::size_t i = 0; library == nullptr && i < kPlaces.size(); ++i) {
      library = opened(kPlaces[i]);
    }
  }
  for (std::size_t i = 0; i < kEntries; ++i) {
    void* const entry = library == nullptr ? nullptr : dlsym(library, kNames[i]);
    forwarded_entries[i] = entry != nullptr ? entry : reinterpret_cast<void*>(&missing);
  }
}

void* real_entry(const char* name) {
  void* const entry = library == nullptr ? nullptr : dlsym(library, name);
  return entry != nullptr ? entry : reinterpret_cast<void*>(&missing);
}

}  // namespace autokernel::inject
