"""y = a * x + x^2 in Triton: a block has 1024 elements. This is the file to make faster."""
import triton
import triton.language as tl
from autokernel import N


@triton.jit
def combine(x, y, a, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    value = tl.load(x + at, mask=inside)
    tl.store(y + at, a * value + value * value, mask=inside)


# The tensors of case.toml, in its order, then its scalars. This runs while the kernel is compiled.
def launch(x, y, a):
    combine[(triton.cdiv(N, 1024),)](x, y, a, N, BLOCK=1024)
