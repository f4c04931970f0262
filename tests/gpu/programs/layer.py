"""Steps of a feed-forward layer in bf16 with its norm and softmax, its products without bias: what `autokernel verify` is tried on.

    layer.py [STEPS] [graph]     graph: by a CUDA graph of a step; prints steps per second and a checksum
"""
import sys
import time

import torch
import torch.nn.functional as F

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 50
torch.manual_seed(1)
width, hidden, tokens = 1024, 2816, 512
options = {"device": "cuda", "dtype": torch.bfloat16}
up = torch.randn(hidden, width, **options) / 32
down = torch.randn(width, hidden, **options) / 53
x = torch.randn(tokens, width, **options)
out = torch.empty_like(x)


def step():
    h = F.layer_norm(x, (width,))
    y = F.silu(h @ up.t()) @ down.t()
    out.copy_(F.softmax(x + y, dim=-1))


with torch.no_grad():
    for _ in range(3):
        step()
    run = step
    if len(sys.argv) > 2:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        run = graph.replay
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(steps):
        run()
    torch.cuda.synchronize()
print(f"steps per second {steps / (time.perf_counter() - begin):.1f}")
print("sum", out.double().sum().item())
