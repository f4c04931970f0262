// How many elements of [0, 1) lie in each of 256 equal bins: counted by each block in shared
// memory, then added up in global memory.
constexpr int N = 1 << 26;
constexpr int BINS = 256;

extern "C" __global__ void histogram(const float* in, unsigned* bins) {
  __shared__ unsigned of_block[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) of_block[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
    atomicAdd(&of_block[static_cast<int>(in[i] * BINS)], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&bins[b], of_block[b]);
}
