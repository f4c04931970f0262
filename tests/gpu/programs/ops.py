"""One launch of many kinds of kernels, a few times each: what `autokernel extract` is tried on."""
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
import triton
import triton.language as tl


@triton.jit
def scaled_add(x, y, out, count, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(out + at, tl.load(x + at, mask=inside) * factor + tl.load(y + at, mask=inside), mask=inside)


def main():
    torch.manual_seed(1)
    x = torch.randn(2048, 1024, device="cuda")
    h = torch.randn(512, 1024, device="cuda", dtype=torch.bfloat16)
    linear = torch.nn.Linear(1024, 2048, device="cuda", dtype=torch.bfloat16)
    q = torch.randn(1, 16, 512, 64, device="cuda", dtype=torch.bfloat16)
    index = torch.randint(0, 2048, (256,), device="cuda")
    out = torch.empty_like(x)
    with torch.no_grad():
        for step in range(4):
            a = F.gelu(x + step)
            b = x.sum(dim=1)
            c = F.layer_norm(h, (1024,))
            d = F.softmax(h, dim=-1)
            e = linear(h)
            with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                f = F.scaled_dot_product_attention(q, q, q)
            with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
                g = F.scaled_dot_product_attention(q, q, q)
            s = torch.sort(x.flatten()[: 1 << 18]).values
            i = x[index]
            scaled_add[(x.numel() // 1024,)](x, out, out, x.numel(), 0.5, BLOCK=1024)
    print("sums", *(t.double().sum().item() for t in (a, b, c, d, e, f, g, s, i, out)))


main()
