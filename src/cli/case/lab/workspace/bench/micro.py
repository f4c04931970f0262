"""Times one operator against the original, on the inputs that parity.py takes.

    python3 workspace/bench/micro.py NAME [--dtype bfloat16]

Both run in turn; the figures are medians. A gain here is a hint. Only the timed load decides.
"""

import argparse
import pathlib
import statistics
import sys
import time

import torch

sys.dont_write_bytecode = True  # a __pycache__ below workspace/ would be a part of what is edited
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "backend"))
import operators  # noqa: E402

ROUNDS = 31  # odd, so that the median is one of them
LEAST_SECONDS = 0.002  # of one round: the clock and the wait for a GPU, some microseconds, are then below 1 %
WARM_UP = 10  # calls: memory is allocated and kernels are loaded


def seconds(function, calls, device):
    if device == "cuda":
        torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(calls):
        function()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - begin


def calls_for(function, device):
    seconds(function, WARM_UP, device)
    calls = 1
    while seconds(function, calls, device) < LEAST_SECONDS:
        calls *= 2
    return calls


@torch.inference_mode()
def main():
    parser = argparse.ArgumentParser(description="Time one operator against the original")
    parser.add_argument("name")
    parser.add_argument("--dtype", default="float32", help="float32, float16 or bfloat16 [float32]")
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    examples = operators.load(options.name).examples(
        getattr(torch, options.dtype), device, torch.Generator().manual_seed(1))
    print(f"{'':14}{'original':>12}{'operator':>12}{'ratio':>8}   us, {options.dtype}, {device}")
    for label, ours, original in examples:
        calls = max(calls_for(ours, device), calls_for(original, device))
        times = [(seconds(original, calls, device), seconds(ours, calls, device)) for _ in range(ROUNDS)]
        before, after = (statistics.median(column) / calls * 1e6 for column in zip(*times))
        ratio = statistics.median(one / other for one, other in times)
        print(f"{label:14}{before:12.2f}{after:12.2f}{ratio:8.2f}")


if __name__ == "__main__":
    main()
