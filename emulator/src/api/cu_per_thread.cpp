// The entry points of programs that are compiled for a default stream of each thread's own
// (--default-stream per-thread): where they leave out the stream, it is that one. Calls that wait
// until they are done are the same for both.
#include "api/per_thread.h"

namespace {

CUstream own(CUstream stream) { return stream == nullptr ? CU_STREAM_PER_THREAD : stream; }

}  // namespace

CUresult cuEventRecordWithFlags_ptsz(CUevent event, CUstream stream, unsigned int flags) {
  return cuEventRecordWithFlags(event, own(stream), flags);
}

CUresult cuEventRecord_ptsz(CUevent event, CUstream stream) {
  return cuEventRecord(event, own(stream));
}

CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec* graph_exec, CUgraph graph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS* instantiate_params) {
  return cuGraphInstantiateWithParams(graph_exec, graph, instantiate_params);
}

CUresult cuGraphLaunch_ptsz(CUgraphExec graph_exec, CUstream stream) {
  return cuGraphLaunch(graph_exec, own(stream));
}

CUresult cuGraphUpload_ptsz(CUgraphExec graph_exec, CUstream stream) {
  return cuGraphUpload(graph_exec, own(stream));
}

CUresult cuLaunchCooperativeKernel_ptsz(CUfunction f, unsigned int grid_dim_x,
                                        unsigned int grid_dim_y, unsigned int grid_dim_z,
                                        unsigned int block_dim_x, unsigned int block_dim_y,
                                        unsigned int block_dim_z, unsigned int shared_mem_bytes,
                                        CUstream stream, void** kernel_params) {
  return cuLaunchCooperativeKernel(f, grid_dim_x, grid_dim_y, grid_dim_z, block_dim_x, block_dim_y,
                                   block_dim_z, shared_mem_bytes, own(stream), kernel_params);
}

CUresult cuLaunchHostFunc_ptsz(CUstream stream, CUhostFn fn, void* user_data) {
  return cuLaunchHostFunc(own(stream), fn, user_data);
}

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction f, void** kernel_params,
                               void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUlaunchConfig with_stream = *config;
  with_stream.hStream = own(config->hStream);
  return cuLaunchKernelEx(&with_stream, f, kernel_params, extra);
}

CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned int grid_dim_x, unsigned int grid_dim_y,
                             unsigned int grid_dim_z, unsigned int block_dim_x,
                             unsigned int block_dim_y, unsigned int block_dim_z,
                             unsigned int shared_mem_bytes, CUstream stream, void** kernel_params,
                             void** extra) {
  return cuLaunchKernel(f, grid_dim_x, grid_dim_y, grid_dim_z, block_dim_x, block_dim_y,
                        block_dim_z, shared_mem_bytes, own(stream), kernel_params, extra);
}

CUresult cuMemAllocAsync_ptsz(CUdeviceptr* address, size_t bytesize, CUstream stream) {
  return cuMemAllocAsync(address, bytesize, own(stream));
}

CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr* address, size_t bytesize, CUmemoryPool pool,
                                      CUstream stream) {
  return cuMemAllocFromPoolAsync(address, bytesize, pool, own(stream));
}

CUresult cuMemFreeAsync_ptsz(CUdeviceptr address, CUstream stream) {
  return cuMemFreeAsync(address, own(stream));
}

CUresult cuMemPrefetchAsync_ptsz(CUdeviceptr address, size_t bytes, CUdevice device,
                                 CUstream stream) {
  return cuMemPrefetchAsync(address, bytes, device, own(stream));
}

CUresult cuMemPrefetchAsync_v2_ptsz(CUdeviceptr dev_ptr, size_t count, CUmemLocation location,
                                    unsigned int flags, CUstream stream) {
  return cuMemPrefetchAsync_v2(dev_ptr, count, location, flags, own(stream));
}

CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return cuMemcpy2DAsync_v2(copy, own(stream));
}

CUresult cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D* copy) {
  return cuMemcpy2DUnaligned_v2(copy);
}

CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D* copy) { return cuMemcpy2D_v2(copy); }

CUresult cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D* copy, CUstream stream) {
  return cuMemcpy3DAsync_v2(copy, own(stream));
}

CUresult cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D* copy) { return cuMemcpy3D_v2(copy); }

CUresult cuMemcpyAsync_ptsz(CUdeviceptr dst, CUdeviceptr src, size_t byte_count, CUstream stream) {
  return cuMemcpyAsync(dst, src, byte_count, own(stream));
}

CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr dst_device, CUdeviceptr src_device,
                                   size_t byte_count, CUstream stream) {
  return cuMemcpyDtoDAsync_v2(dst_device, src_device, byte_count, own(stream));
}

CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr dst_device, CUdeviceptr src_device, size_t byte_count) {
  return cuMemcpyDtoD_v2(dst_device, src_device, byte_count);
}

CUresult cuMemcpyDtoHAsync_v2_ptsz(void* dst_host, CUdeviceptr src_device, size_t byte_count,
                                   CUstream stream) {
  return cuMemcpyDtoHAsync_v2(dst_host, src_device, byte_count, own(stream));
}

CUresult cuMemcpyDtoH_v2_ptds(void* dst_host, CUdeviceptr src_device, size_t byte_count) {
  return cuMemcpyDtoH_v2(dst_host, src_device, byte_count);
}

CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr dst_device, const void* src_host, size_t byte_count,
                                   CUstream stream) {
  return cuMemcpyHtoDAsync_v2(dst_device, src_host, byte_count, own(stream));
}

CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr dst_device, const void* src_host, size_t byte_count) {
  return cuMemcpyHtoD_v2(dst_device, src_host, byte_count);
}

CUresult cuMemcpyPeerAsync_ptsz(CUdeviceptr dst_device, CUcontext dst_context,
                                CUdeviceptr src_device, CUcontext src_context, size_t byte_count,
                                CUstream stream) {
  return cuMemcpyPeerAsync(dst_device, dst_context, src_device, src_context, byte_count,
                           own(stream));
}

CUresult cuMemcpyPeer_ptds(CUdeviceptr dst_device, CUcontext dst_context, CUdeviceptr src_device,
                           CUcontext src_context, size_t byte_count) {
  return cuMemcpyPeer(dst_device, dst_context, src_device, src_context, byte_count);
}

CUresult cuMemcpy_ptds(CUdeviceptr dst, CUdeviceptr src, size_t byte_count) {
  return cuMemcpy(dst, src, byte_count);
}

CUresult cuMemsetD16Async_ptsz(CUdeviceptr dst_device, unsigned short us, size_t n,
                               CUstream stream) {
  return cuMemsetD16Async(dst_device, us, n, own(stream));
}

CUresult cuMemsetD16_v2_ptds(CUdeviceptr dst_device, unsigned short us, size_t n) {
  return cuMemsetD16_v2(dst_device, us, n);
}

CUresult cuMemsetD2D16Async_ptsz(CUdeviceptr dst_device, size_t dst_pitch, unsigned short us,
                                 size_t width, size_t height, CUstream stream) {
  return cuMemsetD2D16Async(dst_device, dst_pitch, us, width, height, own(stream));
}

CUresult cuMemsetD2D16_v2_ptds(CUdeviceptr dst_device, size_t dst_pitch, unsigned short us,
                               size_t width, size_t height) {
  return cuMemsetD2D16_v2(dst_device, dst_pitch, us, width, height);
}

CUresult cuMemsetD2D32Async_ptsz(CUdeviceptr dst_device, size_t dst_pitch, unsigned int ui,
                                 size_t width, size_t height, CUstream stream) {
  return cuMemsetD2D32Async(dst_device, dst_pitch, ui, width, height, own(stream));
}

CUresult cuMemsetD2D32_v2_ptds(CUdeviceptr dst_device, size_t dst_pitch, unsigned int ui,
                               size_t width, size_t height) {
  return cuMemsetD2D32_v2(dst_device, dst_pitch, ui, width, height);
}

CUresult cuMemsetD2D8Async_ptsz(CUdeviceptr dst_device, size_t dst_pitch, unsigned char uc,
                                size_t width, size_t height, CUstream stream) {
  return cuMemsetD2D8Async(dst_device, dst_pitch, uc, width, height, own(stream));
}

CUresult cuMemsetD2D8_v2_ptds(CUdeviceptr dst_device, size_t dst_pitch, unsigned char uc,
                              size_t width, size_t height) {
  return cuMemsetD2D8_v2(dst_device, dst_pitch, uc, width, height);
}

CUresult cuMemsetD32Async_ptsz(CUdeviceptr dst_device, unsigned int ui, size_t n, CUstream stream) {
  return cuMemsetD32Async(dst_device, ui, n, own(stream));
}

CUresult cuMemsetD32_v2_ptds(CUdeviceptr dst_device, unsigned int ui, size_t n) {
  return cuMemsetD32_v2(dst_device, ui, n);
}

CUresult cuMemsetD8Async_ptsz(CUdeviceptr dst_device, unsigned char uc, size_t n, CUstream stream) {
  return cuMemsetD8Async(dst_device, uc, n, own(stream));
}

CUresult cuMemsetD8_v2_ptds(CUdeviceptr dst_device, unsigned char uc, size_t n) {
  return cuMemsetD8_v2(dst_device, uc, n);
}

CUresult cuStreamAddCallback_ptsz(CUstream stream, CUstreamCallback callback, void* user_data,
                                  unsigned int flags) {
  return cuStreamAddCallback(own(stream), callback, user_data, flags);
}

CUresult cuStreamAttachMemAsync_ptsz(CUstream stream, CUdeviceptr address, size_t length,
                                     unsigned int flags) {
  return cuStreamAttachMemAsync(own(stream), address, length, flags);
}

CUresult cuStreamBeginCaptureToGraph_ptsz(CUstream stream, CUgraph graph,
                                          const CUgraphNode* dependencies,
                                          const CUgraphEdgeData* dependency_data,
                                          size_t num_dependencies, CUstreamCaptureMode mode) {
  return cuStreamBeginCaptureToGraph(own(stream), graph, dependencies, dependency_data,
                                     num_dependencies, mode);
}

CUresult cuStreamBeginCapture_ptsz(CUstream stream) { return cuStreamBeginCapture(own(stream)); }

CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream, CUstreamCaptureMode mode) {
  return cuStreamBeginCapture_v2(own(stream), mode);
}

CUresult cuStreamCopyAttributes_ptsz(CUstream dst, CUstream src) {
  return cuStreamCopyAttributes(own(dst), own(src));
}

CUresult cuStreamEndCapture_ptsz(CUstream stream, CUgraph* graph) {
  return cuStreamEndCapture(own(stream), graph);
}

CUresult cuStreamGetAttribute_ptsz(CUstream stream, CUstreamAttrID attr,
                                   CUstreamAttrValue* value_out) {
  return cuStreamGetAttribute(own(stream), attr, value_out);
}

CUresult cuStreamGetCaptureInfo_ptsz(CUstream stream, CUstreamCaptureStatus* status,
                                     cuuint64_t* id) {
  return cuStreamGetCaptureInfo(own(stream), status, id);
}

CUresult cuStreamGetCaptureInfo_v2_ptsz(CUstream stream, CUstreamCaptureStatus* status,
                                        cuuint64_t* id, CUgraph* graph,
                                        const CUgraphNode** dependencies, size_t* count) {
  return cuStreamGetCaptureInfo_v2(own(stream), status, id, graph, dependencies, count);
}

CUresult cuStreamGetCaptureInfo_v3_ptsz(CUstream stream, CUstreamCaptureStatus* capture_status_out,
                                        cuuint64_t* id_out, CUgraph* graph_out,
                                        const CUgraphNode** dependencies_out,
                                        const CUgraphEdgeData** edge_data_out,
                                        size_t* num_dependencies_out) {
  return cuStreamGetCaptureInfo_v3(own(stream), capture_status_out, id_out, graph_out,
                                   dependencies_out, edge_data_out, num_dependencies_out);
}

CUresult cuStreamGetCtx_ptsz(CUstream stream, CUcontext* pctx) {
  return cuStreamGetCtx(own(stream), pctx);
}

CUresult cuStreamGetCtx_v2_ptsz(CUstream stream, CUcontext* ctx, CUgreenCtx* green_ctx) {
  return cuStreamGetCtx_v2(own(stream), ctx, green_ctx);
}

CUresult cuStreamGetDevice_ptsz(CUstream stream, CUdevice* device) {
  return cuStreamGetDevice(own(stream), device);
}

CUresult cuStreamGetFlags_ptsz(CUstream stream, unsigned int* flags) {
  return cuStreamGetFlags(own(stream), flags);
}

CUresult cuStreamGetId_ptsz(CUstream stream, unsigned long long* stream_id) {
  return cuStreamGetId(own(stream), stream_id);
}

CUresult cuStreamGetPriority_ptsz(CUstream stream, int* priority) {
  return cuStreamGetPriority(own(stream), priority);
}

CUresult cuStreamIsCapturing_ptsz(CUstream stream, CUstreamCaptureStatus* capture_status) {
  return cuStreamIsCapturing(own(stream), capture_status);
}

CUresult cuStreamQuery_ptsz(CUstream stream) { return cuStreamQuery(own(stream)); }

CUresult cuStreamSetAttribute_ptsz(CUstream stream, CUstreamAttrID attr,
                                   const CUstreamAttrValue* value) {
  return cuStreamSetAttribute(own(stream), attr, value);
}

CUresult cuStreamSynchronize_ptsz(CUstream stream) { return cuStreamSynchronize(own(stream)); }

CUresult cuStreamUpdateCaptureDependencies_ptsz(CUstream stream, CUgraphNode* dependencies,
                                                size_t count, unsigned int flags) {
  return cuStreamUpdateCaptureDependencies(own(stream), dependencies, count, flags);
}

CUresult cuStreamUpdateCaptureDependencies_v2_ptsz(CUstream stream, CUgraphNode* dependencies,
                                                   const CUgraphEdgeData* dependency_data,
                                                   size_t num_dependencies, unsigned int flags) {
  return cuStreamUpdateCaptureDependencies_v2(own(stream), dependencies, dependency_data,
                                              num_dependencies, flags);
}

CUresult cuStreamWaitEvent_ptsz(CUstream stream, CUevent event, unsigned int flags) {
  return cuStreamWaitEvent(own(stream), event, flags);
}
