"""C = A B in Triton: a block has a tile of C, and goes along K in steps."""
import triton
import triton.language as tl
from autokernel import K, M, N


@triton.jit
def matmul(A, B, C, M, N, K, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    rows = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)[:, None]
    columns = tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)[None, :]
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for begin in range(0, K, TILE_K):
        along = begin + tl.arange(0, TILE_K)
        a = tl.load(A + rows * K + along[None, :], mask=(rows < M) & (along[None, :] < K), other=0.0)
        b = tl.load(B + along[:, None] * N + columns, mask=(along[:, None] < K) & (columns < N), other=0.0)
        total = tl.dot(a, b, total)
    tl.store(C + rows * N + columns, total.to(C.dtype.element_ty), mask=(rows < M) & (columns < N))


def launch(A, B, C):
    tile_m, tile_n, tile_k = 64, 64, 32
    grid = (triton.cdiv(M, tile_m), triton.cdiv(N, tile_n))
    matmul[grid](A, B, C, M, N, K, TILE_M=tile_m, TILE_N=tile_n, TILE_K=tile_k, num_warps=4)
