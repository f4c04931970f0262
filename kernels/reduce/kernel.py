"""The sums of columns in Triton, in two launches: each block adds up some rows, then one those sums."""
import triton
import triton.language as tl
from autokernel import COLS, ROWS, workspace


@triton.jit
def partial_sums(x, partial, rows, columns, rows_of_block, TILE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    begin = tl.program_id(1) * rows_of_block
    end = tl.minimum(begin + rows_of_block, rows)
    total = tl.zeros((TILE, BLOCK), dtype=tl.float32)
    for first in range(begin, end, TILE):
        row = first + tl.arange(0, TILE)[:, None]
        total += tl.load(x + row.to(tl.int64) * columns + at[None, :], mask=(row < end) & (at[None, :] < columns), other=0.0)
    tl.store(partial + tl.program_id(1) * columns + at, tl.sum(total, axis=0), mask=at < columns)


@triton.jit
def sum_of_sums(partial, sums, parts, columns, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for part in range(0, parts):
        total += tl.load(partial + part * columns + at, mask=at < columns, other=0.0)
    tl.store(sums + at, total, mask=at < columns)


def launch(x, sums):
    tile, block = 8, 128
    parts = min(64, triton.cdiv(ROWS, tile))
    blocks = triton.cdiv(COLS, block)
    partial = workspace((parts, COLS))
    partial_sums[(blocks, parts)](x, partial, ROWS, COLS, triton.cdiv(ROWS, parts), TILE=tile, BLOCK=block)
    sum_of_sums[(blocks,)](partial, sums, parts, COLS, BLOCK=block)
