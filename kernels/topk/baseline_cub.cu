#include <autokernel_baseline.h>
#include <cuda_bf16.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/version.cuh>
#include <string>

// Behind those of libraries, whose templates have parameters of such names.
#include <autokernel_sizes.cuh>

namespace {

constexpr int kCount = ROWS * COLS;

struct BeginOfRow {
  __host__ __device__ int operator()(int row) const { return row * COLS; }
};

__global__ void number_columns(int* columns) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCount; i += gridDim.x * blockDim.x)
    columns[i] = i % COLS;
}
__global__ void take_first(const __nv_bfloat16* sorted, const int* columns, __nv_bfloat16* values,
                           int* indices) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < ROWS * K; i += gridDim.x * blockDim.x) {
    const int from = i / K * COLS + i % K;
    values[i] = sorted[from];
    indices[i] = columns[from];
  }
}

// Stable, so that of equal values the lower column comes first.
cudaError_t sort(void* workspace, size_t& bytes, const __nv_bfloat16* x, __nv_bfloat16* sorted,
                 const int* columns, int* sorted_columns, cudaStream_t stream) {
  const auto begin =
      thrust::make_transform_iterator(thrust::make_counting_iterator(0), BeginOfRow{});
  return cub::DeviceSegmentedRadixSort::SortPairsDescending(
      workspace, bytes, x, sorted, columns, sorted_columns, kCount, ROWS, begin, begin + 1, 0,
      static_cast<int>(sizeof(__nv_bfloat16) * 8), stream);
}

constexpr size_t rounded(size_t bytes) { return (bytes + 255) / 256 * 256; }
constexpr size_t kValues = rounded(sizeof(__nv_bfloat16) * kCount);
constexpr size_t kColumns = rounded(sizeof(int) * kCount);
constexpr int kBlocks = 1024;
constexpr int kThreads = 256;
size_t sort_bytes = 0;

}  // namespace

extern "C" const char* autokernel_baseline_prepare(AutokernelBaseline* baseline) {
  static const std::string name = "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." +
                                  std::to_string(CUB_MINOR_VERSION) + "." +
                                  std::to_string(CUB_SUBMINOR_VERSION);
  const cudaError_t failed = sort(nullptr, sort_bytes, nullptr, nullptr, nullptr, nullptr, nullptr);
  if (failed != cudaSuccess) return cudaGetErrorString(failed);
  *baseline = {name.c_str(), "DeviceSegmentedRadixSort of whole rows",
               kValues + 2 * kColumns + sort_bytes};
  return nullptr;
}

extern "C" const char* autokernel_baseline_launch(void* const* arguments, void* workspace,
                                                  CUstream_st* stream) {
  char* const begin = static_cast<char*>(workspace);
  auto* const sorted = reinterpret_cast<__nv_bfloat16*>(begin);
  int* const columns = reinterpret_cast<int*>(begin + kValues);
  int* const sorted_columns = reinterpret_cast<int*>(begin + kValues + kColumns);
  number_columns<<<kBlocks, kThreads, 0, stream>>>(columns);
  const cudaError_t failed = sort(begin + kValues + 2 * kColumns, sort_bytes,
                                  autokernel_argument<const __nv_bfloat16*>(arguments, 0), sorted,
                                  columns, sorted_columns, stream);
  if (failed != cudaSuccess) return cudaGetErrorString(failed);
  take_first<<<kBlocks, kThreads, 0, stream>>>(sorted, sorted_columns,
                                               autokernel_argument<__nv_bfloat16*>(arguments, 1),
                                               autokernel_argument<int*>(arguments, 2));
  const cudaError_t queued = cudaGetLastError();
  return queued == cudaSuccess ? nullptr : cudaGetErrorString(queued);
}
