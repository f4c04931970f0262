// honest: inputs by bulk copies into shared memory, whose bytes an mbarrier counts.
// needs: sm_90
// case: tests/data/elementwise
#include <autokernel.cuh>

constexpr int THREADS = 256;
constexpr int BYTES = THREADS * sizeof(float);
AUTOKERNEL_LAUNCH({.kernel = "combine", .grid = {N / THREADS}, .block = {THREADS}});

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void fetch(float* to, const float* from, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(BYTES), "r"(barrier)
      : "memory");
}

extern "C" __global__ void combine(const float* x, const float* y, float* z) {
  __shared__ alignas(128) float a[THREADS];
  __shared__ alignas(128) float b[THREADS];
  __shared__ alignas(8) unsigned long long object;
  const unsigned barrier = shared_address(&object);
  const int first = blockIdx.x * THREADS;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(2 * BYTES)
                 : "memory");
    fetch(a, x + first, barrier);
    fetch(b, y + first, barrier);
  }
  __syncthreads();
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, "
        "p; }"
        : "=r"(done)
        : "r"(barrier)
        : "memory");
  }
  z[first + threadIdx.x] = 2 * a[threadIdx.x] + b[threadIdx.x];
}
