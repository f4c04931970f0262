// What fast kernels are made of: shuffles, votes, asynchronous copies, matrix instructions and
// inline assembly whose registers and labels come again and again.
#include <cuda_bf16.h>

__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void wait_for(unsigned barrier, unsigned phase) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "AGAIN:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra READY;\n"
      "bra.uni AGAIN;\n"
      "READY:\n"
      "}" ::"r"(barrier),
      "r"(phase)
      : "memory");
}

extern "C" __global__ void warp(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c,
                                const __grid_constant__ unsigned long long map) {
  extern __shared__ __align__(128) unsigned char staging[];
  __shared__ unsigned long long barrier;
  const unsigned to = shared_address(staging) + threadIdx.x * 16;
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to),
               "l"(a + threadIdx.x * 8));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)));
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%3, %4}], [%2];" ::"r"(to),
        "l"(map), "r"(shared_address(&barrier)), "r"(0), "r"(8));
  }
  wait_for(shared_address(&barrier), 0);
  wait_for(shared_address(&barrier), 1);
  unsigned x[4], y[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(to));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2+64];"
               : "=r"(y[0]), "=r"(y[1])
               : "r"(to));
  float sum[4] = {};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  float total = sum[0] + sum[1] + sum[2] + sum[3] + __bfloat162float(b[threadIdx.x]);
  for (int step = 16; step > 0; step /= 2) total += __shfl_xor_sync(0xffffffff, total, step);
  if (__any_sync(0xffffffff, total > 3)) atomicAdd(c, total);
}
