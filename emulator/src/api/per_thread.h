// Entry points with a default stream of each thread's own (cu_per_thread.cpp).
#pragma once

#include "api/cuda_api.h"

#pragma GCC visibility push(default)
extern "C" {
extern decltype(cuEventRecordWithFlags) cuEventRecordWithFlags_ptsz;
extern decltype(cuEventRecord) cuEventRecord_ptsz;
extern decltype(cuGraphInstantiateWithParams) cuGraphInstantiateWithParams_ptsz;
extern decltype(cuGraphLaunch) cuGraphLaunch_ptsz;
extern decltype(cuGraphUpload) cuGraphUpload_ptsz;
extern decltype(cuLaunchCooperativeKernel) cuLaunchCooperativeKernel_ptsz;
extern decltype(cuLaunchHostFunc) cuLaunchHostFunc_ptsz;
extern decltype(cuLaunchKernelEx) cuLaunchKernelEx_ptsz;
extern decltype(cuLaunchKernel) cuLaunchKernel_ptsz;
extern decltype(cuMemAllocAsync) cuMemAllocAsync_ptsz;
extern decltype(cuMemAllocFromPoolAsync) cuMemAllocFromPoolAsync_ptsz;
extern decltype(cuMemFreeAsync) cuMemFreeAsync_ptsz;
extern decltype(cuMemPrefetchAsync) cuMemPrefetchAsync_ptsz;
extern decltype(cuMemPrefetchAsync_v2) cuMemPrefetchAsync_v2_ptsz;
extern decltype(cuMemcpy2DAsync_v2) cuMemcpy2DAsync_v2_ptsz;
extern decltype(cuMemcpy2DUnaligned_v2) cuMemcpy2DUnaligned_v2_ptds;
extern decltype(cuMemcpy2D_v2) cuMemcpy2D_v2_ptds;
extern decltype(cuMemcpy3DAsync_v2) cuMemcpy3DAsync_v2_ptsz;
extern decltype(cuMemcpy3D_v2) cuMemcpy3D_v2_ptds;
extern decltype(cuMemcpyAsync) cuMemcpyAsync_ptsz;
extern decltype(cuMemcpyDtoDAsync_v2) cuMemcpyDtoDAsync_v2_ptsz;
extern decltype(cuMemcpyDtoD_v2) cuMemcpyDtoD_v2_ptds;
extern decltype(cuMemcpyDtoHAsync_v2) cuMemcpyDtoHAsync_v2_ptsz;
extern decltype(cuMemcpyDtoH_v2) cuMemcpyDtoH_v2_ptds;
extern decltype(cuMemcpyHtoDAsync_v2) cuMemcpyHtoDAsync_v2_ptsz;
extern decltype(cuMemcpyHtoD_v2) cuMemcpyHtoD_v2_ptds;
extern decltype(cuMemcpyPeerAsync) cuMemcpyPeerAsync_ptsz;
extern decltype(cuMemcpyPeer) cuMemcpyPeer_ptds;
extern decltype(cuMemcpy) cuMemcpy_ptds;
extern decltype(cuMemsetD16Async) cuMemsetD16Async_ptsz;
extern decltype(cuMemsetD16_v2) cuMemsetD16_v2_ptds;
extern decltype(cuMemsetD2D16Async) cuMemsetD2D16Async_ptsz;
extern decltype(cuMemsetD2D16_v2) cuMemsetD2D16_v2_ptds;
extern decltype(cuMemsetD2D32Async) cuMemsetD2D32Async_ptsz;
extern decltype(cuMemsetD2D32_v2) cuMemsetD2D32_v2_ptds;
extern decltype(cuMemsetD2D8Async) cuMemsetD2D8Async_ptsz;
extern decltype(cuMemsetD2D8_v2) cuMemsetD2D8_v2_ptds;
extern decltype(cuMemsetD32Async) cuMemsetD32Async_ptsz;
extern decltype(cuMemsetD32_v2) cuMemsetD32_v2_ptds;
extern decltype(cuMemsetD8Async) cuMemsetD8Async_ptsz;
extern decltype(cuMemsetD8_v2) cuMemsetD8_v2_ptds;
extern decltype(cuStreamAddCallback) cuStreamAddCallback_ptsz;
extern decltype(cuStreamAttachMemAsync) cuStreamAttachMemAsync_ptsz;
extern decltype(cuStreamBeginCaptureToGraph) cuStreamBeginCaptureToGraph_ptsz;
extern decltype(cuStreamBeginCapture) cuStreamBeginCapture_ptsz;
extern decltype(cuStreamBeginCapture_v2) cuStreamBeginCapture_v2_ptsz;
extern decltype(cuStreamCopyAttributes) cuStreamCopyAttributes_ptsz;
extern decltype(cuStreamEndCapture) cuStreamEndCapture_ptsz;
extern decltype(cuStreamGetAttribute) cuStreamGetAttribute_ptsz;
extern decltype(cuStreamGetCaptureInfo) cuStreamGetCaptureInfo_ptsz;
extern decltype(cuStreamGetCaptureInfo_v2) cuStreamGetCaptureInfo_v2_ptsz;
extern decltype(cuStreamGetCaptureInfo_v3) cuStreamGetCaptureInfo_v3_ptsz;
extern decltype(cuStreamGetCtx) cuStreamGetCtx_ptsz;
extern decltype(cuStreamGetCtx_v2) cuStreamGetCtx_v2_ptsz;
extern decltype(cuStreamGetDevice) cuStreamGetDevice_ptsz;
extern decltype(cuStreamGetFlags) cuStreamGetFlags_ptsz;
extern decltype(cuStreamGetId) cuStreamGetId_ptsz;
extern decltype(cuStreamGetPriority) cuStreamGetPriority_ptsz;
extern decltype(cuStreamIsCapturing) cuStreamIsCapturing_ptsz;
extern decltype(cuStreamQuery) cuStreamQuery_ptsz;
extern decltype(cuStreamSetAttribute) cuStreamSetAttribute_ptsz;
extern decltype(cuStreamSynchronize) cuStreamSynchronize_ptsz;
extern decltype(cuStreamUpdateCaptureDependencies) cuStreamUpdateCaptureDependencies_ptsz;
extern decltype(cuStreamUpdateCaptureDependencies_v2) cuStreamUpdateCaptureDependencies_v2_ptsz;
extern decltype(cuStreamWaitEvent) cuStreamWaitEvent_ptsz;
}
#pragma GCC visibility pop
