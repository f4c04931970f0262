// Softmax of rows, a block for each.
constexpr int COLUMNS = 4096;
constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;

template <typename Combine>
__device__ float over_block(float value, float* of_warps, Combine combine) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value = combine(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;
  __syncthreads();
  value = of_warps[threadIdx.x % WARPS];
  for (int distance = WARPS / 2; distance > 0; distance /= 2) {
    value = combine(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  return value;
}

extern "C" __global__ void softmax(const float* in, float* out) {
  __shared__ float maxima[WARPS];
  __shared__ float sums[WARPS];
  const float* row = in + static_cast<size_t>(blockIdx.x) * COLUMNS;
  float* result = out + static_cast<size_t>(blockIdx.x) * COLUMNS;

  float most = row[0];
  for (int c = threadIdx.x; c < COLUMNS; c += THREADS) most = fmaxf(most, row[c]);
  most = over_block(most, maxima, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0.0f;
  for (int c = threadIdx.x; c < COLUMNS; c += THREADS) sum += expf(row[c] - most);
  sum = over_block(sum, sums, [](float a, float b) { return a + b; });
  for (int c = threadIdx.x; c < COLUMNS; c += THREADS) result[c] = expf(row[c] - most) / sum;
}
