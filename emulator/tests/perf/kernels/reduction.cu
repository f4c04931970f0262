// The sum of all elements, one partial sum for each block.
constexpr int N = 1 << 26;
constexpr int THREADS = 256;

extern "C" __global__ void reduction(const float* in, float* partial) {
  __shared__ float of_warps[THREADS / 32];
  float sum = 0.0f;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < N; i += gridDim.x * THREADS) sum += in[i];
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  }
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = threadIdx.x < THREADS / 32 ? of_warps[threadIdx.x] : 0.0f;
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}
