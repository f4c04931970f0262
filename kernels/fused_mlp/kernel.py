"""silu(x gate) * (x up) in Triton: a block has a tile of both products, and joins them at the end."""
import triton
import triton.language as tl
from autokernel import HIDDEN, INTER, TOKENS


@triton.jit
def fused_mlp(x, gate, up, y, tokens, inter, hidden, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    token = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)[:, None]
    column = tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)[None, :]
    by_gate = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    by_up = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for begin in range(0, hidden, TILE_K):
        along = begin + tl.arange(0, TILE_K)
        of_x = tl.load(x + token * hidden + along[None, :], mask=(token < tokens) & (along[None, :] < hidden), other=0.0)
        inside = (along[:, None] < hidden) & (column < inter)
        by_gate = tl.dot(of_x, tl.load(gate + column * hidden + along[:, None], mask=inside, other=0.0), by_gate)
        by_up = tl.dot(of_x, tl.load(up + column * hidden + along[:, None], mask=inside, other=0.0), by_up)
    silu = by_gate / (1 + tl.exp(-by_gate))
    tl.store(y + token * inter + column, (silu * by_up).to(y.dtype.element_ty), mask=(token < tokens) & (column < inter))


def launch(x, gate, up, y):
    tile_m, tile_n, tile_k = 64, 64, 32
    grid = (triton.cdiv(TOKENS, tile_m), triton.cdiv(INTER, tile_n))
    fused_mlp[grid](x, gate, up, y, TOKENS, INTER, HIDDEN, TILE_M=tile_m, TILE_N=tile_n, TILE_K=tile_k, num_warps=4)
