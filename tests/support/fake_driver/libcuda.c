// A libcuda.so.1 that is broken on purpose, in the way AUTOKERNEL_TEST_CUDA says:
//   fails    cuInit answers 999 and has no words for it
//   old      it supports CUDA 11.4
//   hangs    cuInit never comes back
//   crashes  cuInit is a segmentation fault
//   empty    there is no GPU
// Otherwise it has one GPU, on which nothing runs.
#include <cuda.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(const char *what) {
  const char *wanted = getenv("AUTOKERNEL_TEST_CUDA");
  return wanted != NULL && strcmp(wanted, what) == 0;
}

CUresult cuInit(unsigned flags) {
  (void)flags;
  if (is("fails")) return CUDA_ERROR_UNKNOWN;
  if (is("hangs")) {
    for (;;) pause();
  }
  if (is("crashes")) {
    signal(SIGSEGV, SIG_DFL);  // whoever watches for it, a sanitizer say
    raise(SIGSEGV);
  }
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
  *version = is("old") ? 11040 : 13000;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult status, const char **text) {
  (void)status;
  *text = NULL;
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult status, const char **text) {
  return cuGetErrorName(status, text);
}

CUresult cuDeviceGetCount(int *count) {
  *count = is("empty") ? 0 : 1;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  (void)device;
  strncpy(name, "NVIDIA Fake", (size_t)size);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *text, int size, CUdevice device) {
  (void)device;
  strncpy(text, "0000:1B:00.0", (size_t)size);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  (void)device;
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  (void)device;
  *bytes = (size_t)80 << 30;
  return CUDA_SUCCESS;
}

// NVRTC asks for one when it compiles, and does without.
CUresult cuGetExportTable(const void **table, const CUuuid *id) {
  (void)id;
  *table = NULL;
  return CUDA_ERROR_NOT_FOUND;
}

// What every driver has, and this one refuses. The program looks them up by name, whatever they
// take.
#define REFUSED(name, symbol)                    \
  CUresult refused_##name(void) __asm__(symbol); \
  CUresult refused_##name(void) { return CUDA_ERROR_NOT_SUPPORTED; }
REFUSED(retain, "cuDevicePrimaryCtxRetain")
REFUSED(release_context, "cuDevicePrimaryCtxRelease_v2")
REFUSED(set_current, "cuCtxSetCurrent")
REFUSED(load, "cuModuleLoadDataEx")
REFUSED(unload, "cuModuleUnload")
REFUSED(get_function, "cuModuleGetFunction")
REFUSED(get_global, "cuModuleGetGlobal_v2")
REFUSED(set_attribute, "cuFuncSetAttribute")
REFUSED(parameter_info, "cuFuncGetParamInfo")
REFUSED(launch, "cuLaunchKernelEx")
REFUSED(allocate, "cuMemAlloc_v2")
REFUSED(release, "cuMemFree_v2")
REFUSED(copy_in, "cuMemcpyHtoD_v2")
REFUSED(copy_out, "cuMemcpyDtoH_v2")
REFUSED(set_bytes, "cuMemsetD8Async")
REFUSED(stream_create, "cuStreamCreate")
REFUSED(stream_destroy, "cuStreamDestroy_v2")
REFUSED(stream_wait, "cuStreamSynchronize")
REFUSED(event_create, "cuEventCreate")
REFUSED(event_destroy, "cuEventDestroy_v2")
REFUSED(event_record, "cuEventRecord")
REFUSED(event_time, "cuEventElapsedTime")
