"""Layer normalisation of each row in Triton: a block for a row, in three passes."""
import triton
import triton.language as tl
from autokernel import COLS, ROWS


@triton.jit
def layernorm(x, weight, bias, y, columns, epsilon, BLOCK: tl.constexpr):
    begin = tl.program_id(0).to(tl.int64) * columns
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        total += tl.load(x + begin + at, mask=at < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        value = tl.load(x + begin + at, mask=at < columns, other=0.0).to(tl.float32)
        distance = tl.where(at < columns, value - mean, 0.0)
        squares += distance * distance
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + epsilon)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        inside = at < columns
        value = (tl.load(x + begin + at, mask=inside, other=0.0).to(tl.float32) - mean) * scale
        factor = tl.load(weight + at, mask=inside, other=0.0).to(tl.float32)
        offset = tl.load(bias + at, mask=inside, other=0.0).to(tl.float32)
        tl.store(y + begin + at, (value * factor + offset).to(y.dtype.element_ty), mask=inside)


def launch(x, weight, bias, y, epsilon):
    block = min(1024, max(16, triton.next_power_of_2(COLS)))
    layernorm[(ROWS,)](x, weight, bias, y, COLS, epsilon, BLOCK=block, num_warps=4)
