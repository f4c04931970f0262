"""What a call of an exported operator costs the host, beside one of PyTorch's own: operator_cost.py AUTOKERNEL CASE, of a case
whose function takes and returns tensors alone. Prints medians of microseconds a call, of 5 times 2,000 calls each."""
import os
import statistics
import subprocess
import sys
import tempfile
import time

autokernel, case = sys.argv[1:]
try:
    import torch
except ImportError:
    print("there is no torch")
    sys.exit(77)
# On the emulated device a call waits for the kernel, so that it says nothing.
DEVICE = "cpu" if "AUTOKERNEL_DRIVER" in os.environ else "cuda"
if DEVICE == "cuda" and not torch.cuda.is_available():
    print("there is no GPU")
    sys.exit(77)
CALLS = 2000 if DEVICE == "cuda" else 20

with tempfile.TemporaryDirectory() as folder:
    out = os.path.join(folder, "out")
    subprocess.run([autokernel, "export", "--case", case, "--size", "check", "--as", "torch", "--out", out,
                    "--device", "cpu" if DEVICE == "cpu" else "auto"], check=True,
                   stdout=subprocess.DEVNULL)
    sys.path.insert(0, out)
    name = next(entry for entry in os.listdir(out) if os.path.exists(os.path.join(out, entry, "__init__.py")))
    module = __import__(name)
    operator = getattr(module, name)
    given = []
    for at in module._GIVEN:
        shape, strides, dtype = module._SIZES[0][at]
        given.append(torch.zeros(shape, dtype=dtype, device=DEVICE).as_strided(shape, strides))
    compiled = torch.compile(lambda *tensors: operator(*tensors))

    def wait():
        if DEVICE == "cuda":
            torch.cuda.synchronize()

    def microseconds(call):
        call()
        times = []
        for _ in range(5):
            wait()
            begin = time.perf_counter()
            for _ in range(CALLS):
                call()
            times.append((time.perf_counter() - begin) / CALLS * 1e6)
            wait()
        return statistics.median(times)

    ours = microseconds(lambda: operator(*given))
    of_compiled = microseconds(lambda: compiled(*given))
    theirs = microseconds(lambda: torch.add(given[0], given[0]))
    print("%s: %.2f us, under torch.compile %.2f us, torch.add %.2f us" % (name, ours, of_compiled, theirs))
