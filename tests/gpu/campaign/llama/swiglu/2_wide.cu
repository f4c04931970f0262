// Eight warps to a block instead of four.
#include <autokernel.cuh>
#include <cuda_fp16.h>

constexpr int kBlocks = COUNT_in1 / 36;    // of 32 elements, in a row
constexpr int kRowBytes = kBlocks * 18;    // a half, and 32 numbers of 4 bits
constexpr int kInputBytes = kBlocks * 36;  // two halves, and 32 of 8 bits
constexpr int kWarps = 8;

AUTOKERNEL_LAUNCH({.kernel = "swiglu",
                   .grid = {COUNT_out0 / 8},
                   .block = {32, 8},
                   .arguments = "in0, in1, in2, out0"});

static_assert(COUNT_in0 == COUNT_out0 * kRowBytes && COUNT_in1 == kInputBytes);

__device__ float warp_sum(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0U, value, step);
  return value;
}

// Bytes of shared memory, of which two are aligned.
__device__ int four_bytes(const unsigned char* at) {
  const unsigned short* halves = reinterpret_cast<const unsigned short*>(at);
  return halves[0] | (halves[1] << 16);
}

// Half a block, added to what there is.
__device__ float with_product(float sum, const unsigned char* weights, const unsigned char* input, int half) {
  const float scale = __half2float(*reinterpret_cast<const __half*>(weights));
  const float2 of_input = __half22float2(*reinterpret_cast<const __half2*>(input));
  const int* numbers = reinterpret_cast<const int*>(input + 4);
  int dot = 0;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int packed = four_bytes(weights + 2 + 8 * half + 4 * i);
    dot = __dp4a(packed & 0x0F0F0F0F, numbers[2 * half + i], dot);
    dot = __dp4a((packed >> 4) & 0x0F0F0F0F, numbers[2 * half + i + 4], dot);
  }
  return fmaf(scale, dot * of_input.x - 4 * of_input.y, sum);
}

// A row, in the order in which the original's four warps add it up, to the bit.
__device__ float row_product(const unsigned char* weights, const unsigned char* input) {
  float sum = 0;
#pragma unroll
  for (int warp = 0; warp < 4; ++warp) {
    float part = 0;
#pragma unroll
    for (int first = 0; first < kBlocks; first += 64) {
      const int block = first + 16 * warp + threadIdx.x / 2;
      if (block < kBlocks) part = with_product(part, weights + 18 * block, input + 36 * block, threadIdx.x % 2);
    }
    sum += part;
  }
  return warp_sum(sum);
}

extern "C" __global__ void __launch_bounds__(32 * kWarps)
    swiglu(const unsigned char* up, const unsigned char* input, const unsigned char* gate, float* out) {
  __shared__ uint4 of_input[kInputBytes / 16];
  __shared__ uint4 rows[kWarps][2][kRowBytes / 16];
  const int row = blockIdx.x * kWarps + threadIdx.y;
  const uint4* up_row = reinterpret_cast<const uint4*>(up + static_cast<size_t>(row) * kRowBytes);
  const uint4* gate_row = reinterpret_cast<const uint4*>(gate + static_cast<size_t>(row) * kRowBytes);
  constexpr int kVectors = kRowBytes / 16;
  constexpr int kReads = (kVectors + 31) / 32;
  uint4 read[2][kReads];
#pragma unroll
  for (int i = 0; i < kReads; ++i) {
    const int at = i * 32 + threadIdx.x;
    if (at < kVectors) {
      read[0][i] = __ldcs(up_row + at);
      read[1][i] = __ldcs(gate_row + at);
    }
  }
  for (int at = threadIdx.y * 32 + threadIdx.x; at < kInputBytes / 16; at += 32 * kWarps) {
    of_input[at] = reinterpret_cast<const uint4*>(input)[at];
  }
#pragma unroll
  for (int i = 0; i < kReads; ++i) {
    const int at = i * 32 + threadIdx.x;
    if (at < kVectors) {
      rows[threadIdx.y][0][at] = read[0][i];
      rows[threadIdx.y][1][at] = read[1][i];
    }
  }
  __syncthreads();
  const unsigned char* numbers = reinterpret_cast<const unsigned char*>(of_input);
  const float of_up = row_product(reinterpret_cast<const unsigned char*>(rows[threadIdx.y][0]), numbers);
  const float of_gate = row_product(reinterpret_cast<const unsigned char*>(rows[threadIdx.y][1]), numbers);
  if (threadIdx.x == 0) out[row] = of_up * __fdividef(of_gate, 1 + __expf(-of_gate));
}
