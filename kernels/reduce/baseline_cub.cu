#include <autokernel_baseline.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>
#include <string>

// Behind those of libraries, whose templates have parameters of such names.
#include <autokernel_sizes.cuh>

namespace {

// The elements of all columns one after the other, each from the first row to the last.
struct AcrossRows {
  const float* x;
  __host__ __device__ float operator()(long long i) const { return x[i % ROWS * COLS + i / ROWS]; }
};
struct BeginOfColumn {
  __host__ __device__ long long operator()(int column) const {
    return static_cast<long long>(column) * ROWS;
  }
};

cudaError_t sum(void* workspace, size_t& bytes, const float* x, float* sums, cudaStream_t stream) {
  const auto elements =
      thrust::make_transform_iterator(thrust::make_counting_iterator(0LL), AcrossRows{x});
  const auto begin =
      thrust::make_transform_iterator(thrust::make_counting_iterator(0), BeginOfColumn{});
  return cub::DeviceSegmentedReduce::Sum(workspace, bytes, elements, sums, COLS, begin, begin + 1,
                                         stream);
}

size_t workspace_bytes = 0;

}  // namespace

extern "C" const char* autokernel_baseline_prepare(AutokernelBaseline* baseline) {
  static const std::string name = "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." +
                                  std::to_string(CUB_MINOR_VERSION) + "." +
                                  std::to_string(CUB_SUBMINOR_VERSION);
  const cudaError_t failed = sum(nullptr, workspace_bytes, nullptr, nullptr, nullptr);
  if (failed != cudaSuccess) return cudaGetErrorString(failed);
  *baseline = {name.c_str(), "DeviceSegmentedReduce, a segment for each column", workspace_bytes};
  return nullptr;
}

extern "C" const char* autokernel_baseline_launch(void* const* arguments, void* workspace,
                                                  CUstream_st* stream) {
  const cudaError_t failed =
      sum(workspace, workspace_bytes, autokernel_argument<const float*>(arguments, 0),
          autokernel_argument<float*>(arguments, 1), stream);
  return failed == cudaSuccess ? nullptr : cudaGetErrorString(failed);
}
