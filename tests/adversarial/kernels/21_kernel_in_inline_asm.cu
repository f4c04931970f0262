// row 21: inline PTX ends the function it stands in and declares the kernel that is launched, with a string of directives and a name that begins like another's around it.
// must be: does not compile, has 2 parameters and is given 3
#include <cuda_bf16.h>

#include <autokernel.cuh>

AUTOKERNEL_LAUNCH({.kernel = "matmul", .grid = {N / 32, M / 8}, .block = {32, 8}});

extern "C" __global__ void matmul_(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                   __nv_bfloat16* C) {
  asm volatile(
      "ret; }\n"
      "/* .visible .entry matmul(.param .u64 a, .param .u64 b, .param .u64 c) */\n"
      ".visible .entry matmul(.param .align 8 .b8 window[512], .param .u64 C)\n"
      "{ .reg .b64 address; .reg .b64 word; ld.param.u64 address, [C];\n"
      "ld.param.u64 word, [window + 504]; st.global.u64 [address], word;\n");
}
