// Our declarations of CUPTI, compared with its headers while this is compiled: 11.8, 12.4 and 13.0
// have been tried.
#include <cuda.h>
#include <cupti.h>

#include <cstddef>

#include "profile/cupti.h"

namespace cupti = recording::cupti;

// The newest form of each record that the headers have.
#if CUPTI_API_VERSION >= 24
using Kernel = CUpti_ActivityKernel10;
using Memcpy = CUpti_ActivityMemcpy6;
#elif CUPTI_API_VERSION >= 19
using Kernel = CUpti_ActivityKernel9;
using Memcpy = CUpti_ActivityMemcpy5;
#else
using Kernel = CUpti_ActivityKernel8;
using Memcpy = CUpti_ActivityMemcpy5;
#endif
using PeerMemcpy = CUpti_ActivityMemcpyPtoP4;
using Memset = CUpti_ActivityMemset4;

#define SAME_PLACE(ours, our_field, theirs, their_field)                      \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field) && \
                sizeof(ours::our_field) == sizeof(theirs::their_field))

SAME_PLACE(cupti::Activity, kind, CUpti_Activity, kind);

SAME_PLACE(cupti::Kernel, kind, Kernel, kind);
SAME_PLACE(cupti::Kernel, registers_per_thread, Kernel, registersPerThread);
SAME_PLACE(cupti::Kernel, start, Kernel, start);
SAME_PLACE(cupti::Kernel, end, Kernel, end);
SAME_PLACE(cupti::Kernel, device, Kernel, deviceId);
SAME_PLACE(cupti::Kernel, stream, Kernel, streamId);
SAME_PLACE(cupti::Kernel, grid_x, Kernel, gridX);
SAME_PLACE(cupti::Kernel, grid_y, Kernel, gridY);
SAME_PLACE(cupti::Kernel, grid_z, Kernel, gridZ);
SAME_PLACE(cupti::Kernel, block_x, Kernel, blockX);
SAME_PLACE(cupti::Kernel, block_y, Kernel, blockY);
SAME_PLACE(cupti::Kernel, block_z, Kernel, blockZ);
SAME_PLACE(cupti::Kernel, static_shared, Kernel, staticSharedMemory);
SAME_PLACE(cupti::Kernel, dynamic_shared, Kernel, dynamicSharedMemory);
SAME_PLACE(cupti::Kernel, correlation, Kernel, correlationId);
SAME_PLACE(cupti::Kernel, name, Kernel, name);
SAME_PLACE(cupti::Kernel, graph_node, Kernel, graphNodeId);
SAME_PLACE(cupti::Kernel, graph, Kernel, graphId);

SAME_PLACE(cupti::Memcpy, kind, Memcpy, kind);
SAME_PLACE(cupti::Memcpy, copy_kind, Memcpy, copyKind);
SAME_PLACE(cupti::Memcpy, bytes, Memcpy, bytes);
SAME_PLACE(cupti::Memcpy, start, Memcpy, start);
SAME_PLACE(cupti::Memcpy, end, Memcpy, end);
SAME_PLACE(cupti::Memcpy, device, Memcpy, deviceId);
SAME_PLACE(cupti::Memcpy, stream, Memcpy, streamId);
SAME_PLACE(cupti::Memcpy, correlation, Memcpy, correlationId);
SAME_PLACE(cupti::Memcpy, graph_node, Memcpy, graphNodeId);

SAME_PLACE(cupti::PeerMemcpy, kind, PeerMemcpy, kind);
SAME_PLACE(cupti::PeerMemcpy, bytes, PeerMemcpy, bytes);
SAME_PLACE(cupti::PeerMemcpy, start, PeerMemcpy, start);
SAME_PLACE(cupti::PeerMemcpy, end, PeerMemcpy, end);
SAME_PLACE(cupti::PeerMemcpy, device, PeerMemcpy, deviceId);
SAME_PLACE(cupti::PeerMemcpy, stream, PeerMemcpy, streamId);
SAME_PLACE(cupti::PeerMemcpy, correlation, PeerMemcpy, correlationId);
SAME_PLACE(cupti::PeerMemcpy, graph_node, PeerMemcpy, graphNodeId);

SAME_PLACE(cupti::Memset, kind, Memset, kind);
SAME_PLACE(cupti::Memset, bytes, Memset, bytes);
SAME_PLACE(cupti::Memset, start, Memset, start);
SAME_PLACE(cupti::Memset, end, Memset, end);
SAME_PLACE(cupti::Memset, device, Memset, deviceId);
SAME_PLACE(cupti::Memset, stream, Memset, streamId);
SAME_PLACE(cupti::Memset, correlation, Memset, correlationId);
SAME_PLACE(cupti::Memset, graph_node, Memset, graphNodeId);

SAME_PLACE(cupti::CallbackData, site, CUpti_CallbackData, callbackSite);
SAME_PLACE(cupti::CallbackData, parameters, CUpti_CallbackData, functionParams);
SAME_PLACE(cupti::CallbackData, result, CUpti_CallbackData, functionReturnValue);
SAME_PLACE(cupti::CallbackData, between, CUpti_CallbackData, correlationData);
SAME_PLACE(cupti::CallbackData, correlation, CUpti_CallbackData, correlationId);

// Where launches.cpp finds a call's stream.
static_assert(offsetof(cuLaunchKernel_params, hStream) == 40);
static_assert(offsetof(cuLaunchKernel_ptsz_params, hStream) == 40);
static_assert(offsetof(cuLaunchCooperativeKernel_params, hStream) == 40);
static_assert(offsetof(cuLaunchCooperativeKernel_ptsz_params, hStream) == 40);
static_assert(offsetof(cuLaunchKernelEx_params, config) == 0);
static_assert(offsetof(cuLaunchKernelEx_ptsz_params, config) == 0);
static_assert(offsetof(CUlaunchConfig, hStream) == 32);
static_assert(offsetof(cuGraphLaunch_params, hStream) == 8);
static_assert(offsetof(cuGraphLaunch_ptsz_params, hStream) == 8);
static_assert(offsetof(cuLaunchGridAsync_params, hStream) == 16);

#define SAME_NUMBER(ours, theirs) \
  static_assert(static_cast<long>(ours) == static_cast<long>(theirs))

SAME_NUMBER(cupti::kSuccess, CUPTI_SUCCESS);
SAME_NUMBER(cupti::kMaxLimitReached, CUPTI_ERROR_MAX_LIMIT_REACHED);
SAME_NUMBER(cupti::kNotInitialized, CUPTI_ERROR_NOT_INITIALIZED);
SAME_NUMBER(cupti::kVirtualizedDevice, CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED);
SAME_NUMBER(cupti::kInsufficientPrivileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
SAME_NUMBER(cupti::kOldProfilerInitialized, CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED);
SAME_NUMBER(cupti::kMultipleSubscribers, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
SAME_NUMBER(cupti::kVirtualizedDevicePrivileges,
            CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
SAME_NUMBER(cupti::kConfidentialComputing, CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED);
SAME_NUMBER(cupti::kMemcpy, CUPTI_ACTIVITY_KIND_MEMCPY);
SAME_NUMBER(cupti::kMemset, CUPTI_ACTIVITY_KIND_MEMSET);
SAME_NUMBER(cupti::kConcurrentKernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME_NUMBER(cupti::kPeerMemcpy, CUPTI_ACTIVITY_KIND_MEMCPY2);
SAME_NUMBER(cupti::kFlushForced, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
SAME_NUMBER(cupti::kDriverApi, CUPTI_CB_DOMAIN_DRIVER_API);
SAME_NUMBER(cupti::kEnter, CUPTI_API_ENTER);
SAME_NUMBER(cupti::kExit, CUPTI_API_EXIT);
SAME_NUMBER(cupti::kContextDestroy, CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy);
SAME_NUMBER(cupti::kContextDestroyV2, CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2);
SAME_NUMBER(cupti::kPrimaryContextRelease, CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxRelease);
SAME_NUMBER(cupti::kPrimaryContextReleaseV2, CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxRelease_v2);
SAME_NUMBER(cupti::kPrimaryContextReset, CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset);
SAME_NUMBER(cupti::kPrimaryContextResetV2, CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2);
SAME_NUMBER(cupti::kLaunch, CUPTI_DRIVER_TRACE_CBID_cuLaunch);
SAME_NUMBER(cupti::kLaunchGrid, CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid);
SAME_NUMBER(cupti::kLaunchGridAsync, CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync);
SAME_NUMBER(cupti::kLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
SAME_NUMBER(cupti::kLaunchKernelPerThread, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz);
SAME_NUMBER(cupti::kLaunchCooperative, CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel);
SAME_NUMBER(cupti::kLaunchCooperativePerThread,
            CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz);
SAME_NUMBER(cupti::kLaunchCooperativeMultiDevice,
            CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice);
SAME_NUMBER(cupti::kLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx);
SAME_NUMBER(cupti::kLaunchKernelExPerThread, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz);
SAME_NUMBER(cupti::kGraphLaunch, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch);
SAME_NUMBER(cupti::kGraphLaunchPerThread, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz);
SAME_NUMBER(cupti::kBeginCapture, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture);
SAME_NUMBER(cupti::kBeginCapturePerThread, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz);
SAME_NUMBER(cupti::kBeginCaptureV2, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2);
SAME_NUMBER(cupti::kBeginCaptureV2PerThread, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz);
#if CUPTI_API_VERSION >= 22
SAME_NUMBER(cupti::kBeginCaptureToGraph, CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph);
SAME_NUMBER(cupti::kBeginCaptureToGraphPerThread,
            CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz);
#endif
#if CUPTI_API_VERSION == 18
SAME_NUMBER(cupti::kOldestVersion, CUPTI_API_VERSION);
#endif
