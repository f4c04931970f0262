"""Softmax of each row in Triton: a block for a row, which it goes through twice, with a running maximum."""
import triton
import triton.language as tl
from autokernel import COLS, ROWS


@triton.jit
def softmax(x, y, columns, BLOCK: tl.constexpr):
    begin = tl.program_id(0).to(tl.int64) * columns
    most = tl.full((BLOCK,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        value = tl.load(x + begin + at, mask=at < columns, other=float("-inf")).to(tl.float32)
        larger = tl.maximum(most, value)
        # Nothing has come yet where both are minus infinity.
        known = larger > float("-inf")
        total = tl.where(known, total * tl.exp(most - larger) + tl.exp(value - larger), 0.0)
        most = larger
    of_row = tl.max(most, axis=0)
    sum_of_row = tl.sum(tl.where(most > float("-inf"), total * tl.exp(most - of_row), 0.0), axis=0)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        value = tl.load(x + begin + at, mask=at < columns, other=0.0).to(tl.float32)
        share = tl.exp(value - of_row) / sum_of_row
        tl.store(y + begin + at, share.to(y.dtype.element_ty), mask=at < columns)


def launch(x, y):
    softmax[(ROWS,)](x, y, COLS, BLOCK=min(1024, max(16, triton.next_power_of_2(COLS))), num_warps=4)
