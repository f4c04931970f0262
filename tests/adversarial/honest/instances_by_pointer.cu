// honest: instances of templates in a namespace, launched by their addresses in clusters of two blocks.
// needs: sm_90
#include <cuda_bf16.h>

#include <autokernel.cuh>

namespace product {
template <int threads, class Element>
__global__ void multiply(const Element* A, const Element* B, Element* C) {
  const int i = blockIdx.x * threads + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += float(A[i / N * K + k]) * float(B[k * N + i % N]);
  C[i] = Element(sum);
}
}  // namespace product

AUTOKERNEL_LAUNCH({.kernel = autokernel::kernel<&product::multiply<256, __nv_bfloat16>>,
                   .grid = {M * N / 256},
                   .block = {256},
                   .cluster = {2}});
