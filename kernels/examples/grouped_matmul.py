"""C = A B in Triton, with tiles in an order that finds what it reads in the L2 cache: programs of one wave have tiles
of a few rows of tiles, and not of one. Which tile is the best depends on the size: `autokernel compare --tune` measures
all of these."""
import triton
import triton.language as tl
from autokernel import K, M, N


def tile(m, n, k, warps, stages):
    return triton.Config({"TILE_M": m, "TILE_N": n, "TILE_K": k, "GROUP": 8}, num_warps=warps, num_stages=stages)


@triton.autotune(
    [
        tile(128, 256, 64, 8, 3), tile(256, 128, 64, 8, 3), tile(128, 128, 64, 8, 4), tile(128, 128, 64, 4, 3),
        tile(64, 256, 64, 4, 4), tile(128, 64, 64, 4, 4), tile(64, 128, 64, 4, 4), tile(64, 64, 64, 4, 4),
    ],
    key=["M", "N", "K"])
@triton.jit
def matmul(A, B, C, M, N, K, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr, GROUP: tl.constexpr):
    # Programs go down a group of rows of tiles before they go to the next column.
    tiles_m = tl.cdiv(M, TILE_M)
    tiles_n = tl.cdiv(N, TILE_N)
    of_group = GROUP * tiles_n
    first = tl.program_id(0) // of_group * GROUP
    height = min(tiles_m - first, GROUP)
    row = first + tl.program_id(0) % of_group % height
    column = tl.program_id(0) % of_group // height

    rows = row * TILE_M + tl.arange(0, TILE_M)
    columns = column * TILE_N + tl.arange(0, TILE_N)
    depth = tl.arange(0, TILE_K)
    # A tile at the edge reads rows that are there; what it makes of them is not stored.
    a = A + (rows % M)[:, None] * K + depth[None, :]
    b = B + depth[:, None] * N + (columns % N)[None, :]
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for begin in range(0, K, TILE_K):
        left = tl.load(a, mask=depth[None, :] < K - begin, other=0.0)
        right = tl.load(b, mask=depth[:, None] < K - begin, other=0.0)
        total = tl.dot(left, right, total)
        a += TILE_K
        b += TILE_K * N
    tl.store(C + rows[:, None] * N + columns[None, :], total.to(C.dtype.element_ty),
             mask=(rows[:, None] < M) & (columns[None, :] < N))


def launch(A, B, C):
    matmul[lambda chosen: (triton.cdiv(M, chosen["TILE_M"]) * triton.cdiv(N, chosen["TILE_N"]),)](A, B, C, M, N, K)
