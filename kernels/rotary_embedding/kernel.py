"""Rotary embedding in Triton: a block turns the pairs of one head of a token."""
import triton
import triton.language as tl
from autokernel import HALF, HEADS, TOKENS


@triton.jit
def rotate(x, positions, cosines, sines, y, heads, half, BLOCK: tl.constexpr):
    head = tl.program_id(0).to(tl.int64)
    position = tl.load(positions + head // heads).to(tl.int64)
    for first in range(0, half, BLOCK):
        at = first + tl.arange(0, BLOCK)
        inside = at < half
        cosine = tl.load(cosines + position * half + at, mask=inside, other=0.0)
        sine = tl.load(sines + position * half + at, mask=inside, other=0.0)
        begin = head * 2 * half
        one = tl.load(x + begin + at, mask=inside, other=0.0).to(tl.float32)
        other = tl.load(x + begin + half + at, mask=inside, other=0.0).to(tl.float32)
        tl.store(y + begin + at, (one * cosine - other * sine).to(y.dtype.element_ty), mask=inside)
        tl.store(y + begin + half + at, (other * cosine + one * sine).to(y.dtype.element_ty), mask=inside)


def launch(x, positions, cosines, sines, y):
    block = min(256, max(16, triton.next_power_of_2(HALF)))
    rotate[(TOKENS * HEADS,)](x, positions, cosines, sines, y, HEADS, HALF, BLOCK=block, num_warps=1)
