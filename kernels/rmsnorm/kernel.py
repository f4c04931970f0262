"""Root mean square normalisation of each row in Triton: a block for a row, in two passes."""
import triton
import triton.language as tl
from autokernel import COLS, ROWS


@triton.jit
def rmsnorm(x, weight, y, columns, epsilon, BLOCK: tl.constexpr):
    begin = tl.program_id(0).to(tl.int64) * columns
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        value = tl.load(x + begin + at, mask=at < columns, other=0.0).to(tl.float32)
        squares += value * value
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + epsilon)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        value = tl.load(x + begin + at, mask=at < columns, other=0.0).to(tl.float32) * scale
        factor = tl.load(weight + at, mask=at < columns, other=0.0).to(tl.float32)
        tl.store(y + begin + at, (value * factor).to(y.dtype.element_ty), mask=at < columns)


def launch(x, weight, y, epsilon):
    block = min(1024, max(16, triton.next_power_of_2(COLS)))
    rmsnorm[(ROWS,)](x, weight, y, COLS, epsilon, BLOCK=block, num_warps=4)
