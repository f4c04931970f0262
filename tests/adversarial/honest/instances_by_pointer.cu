// honest: an instance of a template, launched by its address with the arguments it names.
// needs: sm_90
#include <cuda_bf16.h>

#include <autokernel.cuh>

namespace product {
template <int threads, class Element>
__global__ void multiply(Element* c, int columns, long long depth, const Element* a,
                         const Element* b) {
  const int i = blockIdx.x * threads + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < depth; ++k)
    sum += float(a[i / columns * depth + k]) * float(b[k * columns + i % columns]);
  c[i] = Element(sum);
}
}  // namespace product

AUTOKERNEL_LAUNCH({.kernel = autokernel::kernel<&product::multiply<256, __nv_bfloat16>>,
                   .grid = {M * N / 256},
                   .block = {256},
                   .cluster = {2},
                   .arguments = "C, N, K, A, B"});
