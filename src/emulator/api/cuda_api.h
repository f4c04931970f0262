// cuda.h with its functions visible outside the library, which is otherwise built with everything
// hidden, and the older versions of entry points that programs built with earlier toolkits look up
// and that cuda.h no longer declares.
#pragma once

#pragma GCC visibility push(default)
#include <cuda.h>

// cuda.h renames these to their newest versions; here both names are needed.
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags
#undef cuEventElapsedTime
#undef cuGetProcAddress
#undef cuDeviceGetUuid

extern "C" {
CUresult CUDAAPI cuCtxCreate_v2(CUcontext* context, unsigned int flags, CUdevice device);
CUresult CUDAAPI cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam* affinity, int count,
                                unsigned int flags, CUdevice device);
CUresult CUDAAPI cuDeviceGetUuid(CUuuid* uuid, CUdevice device);
CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice device);
CUresult CUDAAPI cuDevicePrimaryCtxReset(CUdevice device);
CUresult CUDAAPI cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags);
CUresult CUDAAPI cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end);
// Of cudaProfiler.h, which NVIDIA's wheels leave out.
CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);
CUresult CUDAAPI cuGetProcAddress(const char* symbol, void** function, int version,
                                  cuuint64_t flags);
}
#pragma GCC visibility pop
