// C = A B^T of int8 in int32, as it is defined: a thread for each element of C.
#include <autokernel.cuh>

constexpr int SIDE = 16;

AUTOKERNEL_LAUNCH({.kernel = "reference",
                   .grid = {(N + SIDE - 1) / SIDE, (M + SIDE - 1) / SIDE},
                   .block = {SIDE, SIDE}});

extern "C" __global__ void reference(const signed char* A, const signed char* B, int* C) {
  const long long m = blockIdx.y * SIDE + threadIdx.y;
  const long long n = blockIdx.x * SIDE + threadIdx.x;
  if (m >= M || n >= N) return;
  int sum = 0;
  for (long long k = 0; k < K; ++k) {
    sum += static_cast<int>(A[m * K + k]) * static_cast<int>(B[n * K + k]);
  }
  C[m * N + n] = sum;
}
