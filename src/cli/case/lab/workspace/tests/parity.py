"""Compares operators with the originals, on random inputs in several types.

    python3 workspace/tests/parity.py            all that are enabled, and all that kernels.toml says work or are kept
    python3 workspace/tests/parity.py NAME ...   these

The exit code is 0 if all agree. An operator has examples(dtype, device, random): see ops/torch/rmsnorm_fused.py.
"""

import pathlib
import sys

import torch

sys.dont_write_bytecode = True  # a __pycache__ below workspace/ would be a part of what is edited
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "backend"))
import operators  # noqa: E402

# Of the largest absolute value that is expected: some roundings in the type, as sums may have another order. One
# rounding is 6e-8 in fp32, 5e-4 in fp16 and 4e-3 in bf16.
TOLERANCES = {torch.float32: 1e-6, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}


def differs(found, expected, tolerance):
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return f"{found.dtype} {tuple(found.shape)}, expected {expected.dtype} {tuple(expected.shape)}"
    error = (found.double() - expected.double()).abs().max().item()
    bound = tolerance * expected.double().abs().max().item()
    return None if error <= bound else f"largest difference {error:.3g}, allowed {bound:.3g}"  # of NaN, too


def named():
    manifest = operators.read_manifest()
    works = [kernel["name"] for kernel in manifest.get("kernel", []) if kernel["status"].startswith(("works", "kept"))]
    return list(dict.fromkeys(operators.enabled(manifest) + works))


@torch.inference_mode()
def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    failed = 0
    for name in sys.argv[1:] or named():
        operator = operators.load(name)
        for dtype, tolerance in TOLERANCES.items():
            random = torch.Generator().manual_seed(1)
            for label, ours, original in operator.examples(dtype, device, random):
                fault = differs(ours(), original(), tolerance)
                failed += fault is not None
                print(f"{'FAILED' if fault else 'ok    '}  {name}  {dtype}  {label}  {fault or ''}".rstrip())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
