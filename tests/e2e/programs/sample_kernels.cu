// The kernels of sample_model.cpp. After a change, from this folder:
//   nvcc -ptx -arch=compute_80 -o sample_kernels.ptx sample_kernels.cu

namespace sample {

constexpr int kWarp = 32;

// Values and sizes in one parameter, as ATen passes its iterators.
struct Operands {
  float* out;
  const float* a;
  const float* b;
  float alpha;
  int count;
};

__device__ float sum_of_warp(float value) {
  for (int step = kWarp / 2; step > 0; step /= 2) value += __shfl_xor_sync(~0U, value, step);
  return value;
}

__device__ float largest_of_warp(float value) {
  for (int step = kWarp / 2; step > 0; step /= 2) {
    value = fmaxf(value, __shfl_xor_sync(~0U, value, step));
  }
  return value;
}

__global__ void scale_and_shift(float* out, const float* in, float scale, float shift, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = scale * in[i] + shift;
}

// One warp a row.
__global__ void row_sums(float* sums, const float* in, int columns) {
  const float* row = in + blockIdx.x * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += kWarp) sum += row[i];
  sum = sum_of_warp(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void softmax(float* out, const float* in, int columns) {
  const float* row = in + blockIdx.x * columns;
  float largest = row[0];
  for (int i = threadIdx.x; i < columns; i += kWarp) largest = fmaxf(largest, row[i]);
  largest = largest_of_warp(largest);
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += kWarp) sum += expf(row[i] - largest);
  sum = sum_of_warp(sum);
  for (int i = threadIdx.x; i < columns; i += kWarp) {
    out[blockIdx.x * columns + i] = expf(row[i] - largest) / sum;
  }
}

// Rows of a table, by number.
__global__ void gather(float* out, const float* table, const int* rows, int columns) {
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    out[blockIdx.x * columns + i] = table[rows[blockIdx.x] * columns + i];
  }
}

__global__ void add_scaled(Operands operands) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < operands.count) operands.out[i] = operands.a[i] + operands.alpha * operands.b[i];
}

// In place.
__global__ void decay(float* state, const float* update, float rate, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) state[i] = state[i] * rate + update[i];
}

// Adds to the counts that are there.
__global__ void histogram(int* counts, const int* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(&counts[values[i]], 1);
}

// Sums of all counts before each one; over and over, so that there is a kernel that is clearly
// faster.
__global__ void prefix(int* sums, const int* counts, int bins) {
  const int bin = threadIdx.x;
  if (bin >= bins) return;
  const volatile int* each = counts;
  int sum = 0;
  for (int round = 0; round < 300; ++round) {
    sum = 0;
    for (int i = 0; i < bin; ++i) sum += each[i];
  }
  sums[bin] = sum;
}

// Writes where nothing is.
__global__ void stray(float* out) { out[1LL << 40] = 1; }

}  // namespace sample
