"""C = op(A) op(B) in Triton: a block has a tile of C, and goes along K in steps. Layout 2 is transposed in memory."""
import triton
import triton.language as tl
from autokernel import K, LAYOUT_A, LAYOUT_B, M, N


@triton.jit
def gemm(A, B, C, M, N, K, A_ALONG_M: tl.constexpr, B_ALONG_K: tl.constexpr,
         TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    rows = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)[:, None]
    columns = tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)[None, :]
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for begin in range(0, K, TILE_K):
        along = begin + tl.arange(0, TILE_K)
        at_a = along[None, :] * M + rows if A_ALONG_M else rows * K + along[None, :]
        at_b = columns * K + along[:, None] if B_ALONG_K else along[:, None] * N + columns
        a = tl.load(A + at_a, mask=(rows < M) & (along[None, :] < K), other=0.0)
        b = tl.load(B + at_b, mask=(along[:, None] < K) & (columns < N), other=0.0)
        total = tl.dot(a, b, total, input_precision="ieee")
    tl.store(C + rows * N + columns, total.to(C.dtype.element_ty), mask=(rows < M) & (columns < N))


def launch(A, B, C):
    tile_m, tile_n, tile_k = 64, 64, 32
    grid = (triton.cdiv(M, tile_m), triton.cdiv(N, tile_n))
    gemm[grid](A, B, C, M, N, K, A_ALONG_M=LAYOUT_A == 2, B_ALONG_K=LAYOUT_B == 2,
               TILE_M=tile_m, TILE_N=tile_n, TILE_K=tile_k, num_warps=4)
