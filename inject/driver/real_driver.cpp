#include "driver/real_driver.h"

#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

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

[[nodiscard]] bool is_this_library(void* opened) {
  Dl_info there{};
  Dl_info here{};
  void* const entry = dlsym(opened, "cuInit");
  return entry != nullptr && dladdr(entry, &there) != 0 &&
         dladdr(reinterpret_cast<void*>(&missing), &here) != 0 && there.dli_fbase == here.dli_fbase;
}

// By its path: a library of that name is loaded already, and glibc looks only by names without '/'.
// Forwarding to ourselves would never end.
[[nodiscard]] void* opened(const char* path) {
  void* const found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (found == nullptr) {
    std::fprintf(stderr, "autokernel: %s\n", dlerror());
  } else if (is_this_library(found)) {
    std::fprintf(stderr, "autokernel: %s is this library itself, and no driver\n", path);
    return nullptr;
  }
  return found;
}

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
  } else {
    for (std::size_t i = 0; library == nullptr && i < kPlaces.size(); ++i) {
      if (access(kPlaces[i], F_OK) == 0) library = opened(kPlaces[i]);
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
