"""Where the time of a prompt and of single tokens goes, by operations of torch. Needs no server.

    python3 workspace/scripts/profile_model.py --model PATH [--prompt 64] [--tokens 32]

It profiles one sequence with the operators that are enabled. Time beside the operations, in Python and in the
server, shows as the difference between the time per token here and the gap between tokens of the timed load.
"""

import argparse
import pathlib
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile

sys.dont_write_bytecode = True  # a __pycache__ below workspace/ would be a part of what is edited
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "backend"))
import operators  # noqa: E402
from language_model import LanguageModel  # noqa: E402

ROWS = 15  # of the table: what comes after has less than a percent each
WARM_UP = 4  # tokens


def main():
    parser = argparse.ArgumentParser(description="Profile one sequence")
    parser.add_argument("--model", required=True)
    parser.add_argument("--prompt", type=int, default=64, help="tokens of the prompt [64]")
    parser.add_argument("--tokens", type=int, default=32, help="tokens of the answer [32]")
    options = parser.parse_args()
    language_model = LanguageModel(options.model)
    for name in operators.enabled(operators.read_manifest()):
        operators.load(name).install(language_model.model)
    is_cuda = language_model.device.type == "cuda"
    words = torch.randint(len(language_model.tokenizer), (options.prompt,), generator=torch.Generator().manual_seed(0))

    def answer(tokens, count):
        cache, marks = None, [time.perf_counter()]
        for _ in range(count):
            logits, cache = language_model.step(tokens, cache)
            tokens = [int(logits.argmax())]  # waits for the GPU
            marks.append(time.perf_counter())
        return marks

    answer(words.tolist(), WARM_UP)
    marks = answer(words.tolist(), options.tokens)
    first, each = marks[1] - marks[0], (marks[-1] - marks[1]) / max(1, options.tokens - 1)
    print(f"first token {first * 1e3:.2f} ms, each further one {each * 1e3:.2f} ms, without the profiler")
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * is_cuda
    with profile(activities=activities) as recorded:
        answer(words.tolist(), options.tokens)
    order = "self_cuda_time_total" if is_cuda else "self_cpu_time_total"
    print(recorded.key_averages().table(sort_by=order, row_limit=ROWS, max_name_column_width=50))


if __name__ == "__main__":
    main()
