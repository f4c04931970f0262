"""Forwards of a transformer encoder in bf16, timed: what `autokernel profile` is tried on.

    encoder.py [FORWARDS] [BATCH]
"""
import sys
import time

import torch

torch.manual_seed(1)
layer = torch.nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True, dtype=torch.bfloat16, device="cuda", dropout=0)
model = torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).eval()
batch = int(sys.argv[2]) if len(sys.argv) > 2 else 8
x = torch.randn(batch, 512, 1024, device="cuda", dtype=torch.bfloat16)
forwards = int(sys.argv[1]) if len(sys.argv) > 1 else 20
with torch.no_grad():
    for _ in range(3):
        model(x)
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for step in range(forwards):
        torch.cuda.nvtx.range_push("forward")
        y = model(x)
        torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()
print(f"forward_ms {1000 * (time.perf_counter() - begin) / forwards:.4f}")
print(f"sum {y.double().abs().sum().item():.3f}")
