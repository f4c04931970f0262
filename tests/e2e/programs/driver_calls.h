// The calls of the CUDA driver that sample_model.cpp makes, found as CUDA's runtime finds them: by
// cuGetProcAddress of a library that is opened when the program runs.
#pragma once

#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace autokernel::test {

class DriverCalls {
 private:
  using GetProcAddress = CUresult(const char*, void**, int, cuuint64_t,
                                  CUdriverProcAddressQueryResult*);
  void* library_ = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  GetProcAddress* find_ =
      library_ == nullptr
          ? nullptr
          : reinterpret_cast<GetProcAddress*>(::dlsym(library_, "cuGetProcAddress_v2"));

  template <typename Function>
  [[nodiscard]] Function found(const char* name) const {
    constexpr int kVersion = 12000;
    void* entry = nullptr;
    if (find_ == nullptr ||
        find_(name, &entry, kVersion, CU_GET_PROC_ADDRESS_DEFAULT, nullptr) != CUDA_SUCCESS ||
        entry == nullptr) {
      std::fprintf(stderr, "no CUDA here: no %s\n", name);
      std::exit(1);
    }
    return reinterpret_cast<Function>(entry);
  }

 public:
// Of the version that the name means in CUDA 12.
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration
#define AUTOKERNEL_CALL(call, name) decltype(&::name) call = found<decltype(&::name)>(#name)
  AUTOKERNEL_CALL(init, cuInit);
  AUTOKERNEL_CALL(error_name, cuGetErrorName);
  AUTOKERNEL_CALL(device, cuDeviceGet);
  AUTOKERNEL_CALL(retain_context, cuDevicePrimaryCtxRetain);
  AUTOKERNEL_CALL(release_context, cuDevicePrimaryCtxRelease);
  AUTOKERNEL_CALL(use_context, cuCtxSetCurrent);
  AUTOKERNEL_CALL(allocate, cuMemAlloc);
  AUTOKERNEL_CALL(free, cuMemFree);
  AUTOKERNEL_CALL(fill, cuMemsetD8);
  AUTOKERNEL_CALL(copy_to_device, cuMemcpyHtoD);
  AUTOKERNEL_CALL(copy_to_host, cuMemcpyDtoH);
  AUTOKERNEL_CALL(make_stream, cuStreamCreate);
  AUTOKERNEL_CALL(destroy_stream, cuStreamDestroy);
  AUTOKERNEL_CALL(wait_for, cuStreamSynchronize);
  AUTOKERNEL_CALL(load, cuModuleLoadData);
  AUTOKERNEL_CALL(unload, cuModuleUnload);
  AUTOKERNEL_CALL(function, cuModuleGetFunction);
  AUTOKERNEL_CALL(launch, cuLaunchKernel);
  AUTOKERNEL_CALL(launch_configured, cuLaunchKernelEx);
  AUTOKERNEL_CALL(begin_capture, cuStreamBeginCapture);
  AUTOKERNEL_CALL(end_capture, cuStreamEndCapture);
  AUTOKERNEL_CALL(make_graph, cuGraphCreate);
  AUTOKERNEL_CALL(add_kernel, cuGraphAddKernelNode);
  AUTOKERNEL_CALL(instantiate, cuGraphInstantiate);
  AUTOKERNEL_CALL(launch_graph, cuGraphLaunch);
  AUTOKERNEL_CALL(destroy_executable, cuGraphExecDestroy);
  AUTOKERNEL_CALL(destroy_graph, cuGraphDestroy);
#undef AUTOKERNEL_CALL

  // Ends the program where a call did not succeed.
  void check(CUresult result, const char* what) const {
    if (result == CUDA_SUCCESS) return;
    const char* name = nullptr;
    (void)error_name(result, &name);
    std::fprintf(stderr, "cannot %s: %s\n", what, name == nullptr ? "unknown error" : name);
    std::exit(1);
  }
};

}  // namespace autokernel::test
