// honest: the second launch begins before the first has ended, and waits for its sums.
// needs: sm_90
#include <cuda_bf16.h>

#include <autokernel.cuh>

constexpr int THREADS = 256;
AUTOKERNEL_LAUNCH(
    {.kernel = "multiply", .grid = {M * N / THREADS}, .block = {THREADS}},
    {.kernel = "narrow", .grid = {M * N / THREADS}, .block = {THREADS}, .programmatic = true});
AUTOKERNEL_WORKSPACE(sizeof(float) * M * N);

extern "C" __global__ void multiply(const __nv_bfloat16* A, const __nv_bfloat16* B, __nv_bfloat16*,
                                    float* sums) {
  asm volatile("griddepcontrol.launch_dependents;");
  const int i = blockIdx.x * THREADS + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; ++k)
    sum += __bfloat162float(A[i / N * K + k]) * __bfloat162float(B[k * N + i % N]);
  sums[i] = sum;
}

extern "C" __global__ void narrow(const __nv_bfloat16*, const __nv_bfloat16*, __nv_bfloat16* C,
                                  const float* sums) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  C[i] = __float2bfloat16(sums[i]);
}
