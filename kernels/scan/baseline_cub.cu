#include <autokernel_baseline.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>
#include <cuda/std/functional>
#include <string>

// Behind those of libraries, whose templates have parameters of such names.
#include <autokernel_sizes.cuh>

namespace {

struct RowOf {
  __host__ __device__ int operator()(int i) const { return i / COLS; }
};

cudaError_t scan(void* workspace, size_t& bytes, const float* x, float* y, cudaStream_t stream) {
  const auto rows = thrust::make_transform_iterator(thrust::make_counting_iterator(0), RowOf{});
  return cub::DeviceScan::InclusiveSumByKey(workspace, bytes, rows, x, y, ROWS * COLS,
                                            cuda::std::equal_to<>{}, stream);
}

size_t workspace_bytes = 0;

}  // namespace

extern "C" const char* autokernel_baseline_prepare(AutokernelBaseline* baseline) {
  static const std::string name = "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." +
                                  std::to_string(CUB_MINOR_VERSION) + "." +
                                  std::to_string(CUB_SUBMINOR_VERSION);
  const cudaError_t failed = scan(nullptr, workspace_bytes, nullptr, nullptr, nullptr);
  if (failed != cudaSuccess) return cudaGetErrorString(failed);
  *baseline = {name.c_str(), "DeviceScan::InclusiveSumByKey, a key for each row", workspace_bytes};
  return nullptr;
}

extern "C" const char* autokernel_baseline_launch(void* const* arguments, void* workspace,
                                                  CUstream_st* stream) {
  const cudaError_t failed =
      scan(workspace, workspace_bytes, autokernel_argument<const float*>(arguments, 0),
           autokernel_argument<float*>(arguments, 1), stream);
  return failed == cudaSuccess ? nullptr : cudaGetErrorString(failed);
}
