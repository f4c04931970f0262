#!/usr/bin/env bash
# What the recording library sees of a PyTorch program, and what it costs: a transformer encoder of 6 layers in bf16. Prints the
# kernels recorded and the launches counted, the matrix products, the slow-down, a CUDA graph with NVTX ranges, and what the record
# says where PyTorch's own profiler is on. Exits with 1 if anything falls short.
#
#   tests/gpu/profile.sh PREFIX    PREFIX/lib/libautokernel_profile.so; Python with PyTorch is /opt/torch/.venv's, or python3
set -euo pipefail

if (($# != 1)) || [[ ! -e $1/lib/libautokernel_profile.so ]]; then
  echo "usage: $0 PREFIX, where PREFIX/lib/libautokernel_profile.so is the library" >&2
  exit 2
fi
library=$(realpath "$1/lib/libautokernel_profile.so")
python=/opt/torch/.venv/bin/python
[[ -x $python ]] || python=python3
starts=${STARTS:-3}  # processes differ by what memory and processors they got
turns=${TURNS:-100}
sizes=${SIZES:-small base large}
readonly library python starts turns sizes
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() {
  printf 'FAILED  %s\n' "$*"
  failed=1
}

# The program. "served SIZE": says that it is ready, and for each line it reads prints the milliseconds of as many forwards.
cat > "$scratch/encoder.py" <<'PYTHON'
import sys
import time

import torch

mode = sys.argv[1]
# Width, heads, layers, batch, tokens. The GPU waits for the launches of the small one, and not for those of the large one; the
# one between has the size of BERT base.
sizes = {"small": (512, 8, 6, 8, 128), "base": (768, 12, 12, 8, 512), "large": (1024, 16, 6, 32, 512)}
width, heads, layers, batch, tokens = sizes[sys.argv[2] if len(sys.argv) > 2 else "small"]
torch.manual_seed(1)
layer = torch.nn.TransformerEncoderLayer(width, heads, 4 * width, batch_first=True, device="cuda", dtype=torch.bfloat16)
model = torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=False).eval()
x = torch.randn(batch, tokens, width, device="cuda", dtype=torch.bfloat16)


def forwards(count):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        y = model(x)
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) * 1000


with torch.no_grad():
    if mode == "profiler":
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
            forwards(3)
        print("events of PyTorch's profiler:", len(profiler.events()))
    elif mode == "graph":
        forwards(3)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            model(x)
        torch.cuda.nvtx.range_push("replays")
        for number in range(10):
            with torch.cuda.nvtx.range(f"replay {number}"):
                graph.replay()
        torch.cuda.synchronize()
        torch.cuda.nvtx.range_pop()
    elif mode == "served":
        forwards(100)
        print("ready", flush=True)
        for line in sys.stdin:
            print(forwards(int(line)), flush=True)
    else:
        forwards(3)
        forwards(20)
PYTHON

# What a record says. Prints NAME=VALUE lines for the shell.
cat > "$scratch/count.py" <<'PYTHON'
import collections
import glob
import sys

lines = collections.defaultdict(list)
for path in glob.glob(sys.argv[1] + "/*.record"):
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            lines[fields[0]].append(fields[1:])
launched = {fields[0] for fields in lines["L"] if fields[3] == "kernel"}
graphs = {fields[0] for fields in lines["L"] if fields[3] == "graph"}
single = [fields for fields in lines["K"] if fields[-1] == "0"]
nodes = [fields for fields in lines["K"] if fields[-1] == "1"]
times = {fields[0]: int(fields[2]) for fields in lines["L"]}
print(f"kernels={len(single)}")
print(f"launches={len(launched)}")
print(f"untied={sum(fields[5] not in launched for fields in single)}")
# A kernel cannot start before the call that launched it: the clocks agree to within this.
print(f"early={sum(int(fields[1]) + 20_000 < times.get(fields[5], 0) for fields in lines['K'])}")
print(f"nodes={len(nodes)}")
print(f"graphs={len(graphs)}")
print(f"untied_nodes={sum(fields[5] not in graphs for fields in nodes)}")
print(f"copies={len(lines['C'])}")
print(f"ranges={len(lines['R'])}")
print(f"products={len(lines['O'])}")
print(f"tied={len({fields[0] for fields in lines['A']})}")
print(f"lost={sum(int(fields[0]) for fields in lines['X'])}")
print(f"ended={len(lines['E'])}")
print(f"devices={len(lines['D'])}")
for fields in lines["O"]:
    print("product:", fields[1], file=sys.stderr)
for fields in lines["W"]:
    print("warning:", fields[0], file=sys.stderr)
for fields in lines["D"]:
    print("device:", " ".join(fields), file=sys.stderr)
PYTHON

cupti=$("$python" - <<'PYTHON'
import glob
import os
import site

folders = site.getsitepackages() + ["/usr/local/cuda/lib64", "/usr/local/cuda/extras/CUPTI/lib64"]
found = []
for folder in folders:
    for pattern in ("nvidia/*/lib/libcupti.so.1*", "libcupti.so.1*"):
        found += sorted(glob.glob(os.path.join(folder, pattern)))
print(":".join(found))
PYTHON
)
echo "libraries of CUPTI: ${cupti:-none found}"

# On some of the processors only, where there are many: which ones a process begins on decides more than what is compared.
pinned=()
if (($(nproc) >= 8)); then pinned=(taskset -c "2-5"); fi
command_recorded() {  # FOLDER ARGUMENT...
  printf '%q ' env CUDA_INJECTION64_PATH="$library" NVTX_INJECTION64_PATH="$library" LD_PRELOAD="$library" \
    AUTOKERNEL_CUPTI="$cupti" AUTOKERNEL_PROFILE_DIR="$1" "${pinned[@]}" "$python" "$scratch/encoder.py" "${@:2}"
}
command_alone() { printf '%q ' "${pinned[@]}" "$python" "$scratch/encoder.py" "$@"; }
recorded() {
  mkdir -p "$1"
  bash -c "$(command_recorded "$@")"
}

# Two processes that take turns, one recorded and one not: what else a shared machine does then falls on both. Prints the
# median of the ratios and its 95 % interval (of the binomial distribution's order statistics).
cat > "$scratch/turns.py" <<'PYTHON'
import statistics
import subprocess
import sys

FORWARDS = 30
alone, recorded = (subprocess.Popen(["bash", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                   for command in sys.argv[2:4])
for process in (alone, recorded):
    while process.stdout.readline().strip() != "ready":
        if process.poll() is not None:
            sys.exit("a process has ended")


def turn(process):
    print(FORWARDS, file=process.stdin, flush=True)
    return float(process.stdout.readline())


ratios, without, with_record = [], [], []
for number in range(int(sys.argv[1])):
    order = (alone, recorded) if number % 2 else (recorded, alone)
    times = {process: turn(process) for process in order}
    without.append(times[alone])
    with_record.append(times[recorded])
    ratios.append(times[recorded] / times[alone])
for process in (alone, recorded):
    process.stdin.close()
    process.wait()
ratios.sort()
count = len(ratios)
spread = round(0.98 * count**0.5)
low, high = ratios[max(0, count // 2 - spread)], ratios[min(count - 1, count // 2 + spread)]
median = statistics.median(ratios)
print(f"ms of {FORWARDS} forwards, median and least: {statistics.median(without):.2f}, {min(without):.2f} without; "
      f"{statistics.median(with_record):.2f}, {min(with_record):.2f} with")
print(f"median ratio {median:.3f}, 95 % interval {low:.3f} to {high:.3f}, {count} pairs of turns")
PYTHON

for size in $sizes; do
  echo "== slow-down, the $size encoder: $starts pairs of processes, $turns turns of each"
  for ((start = 1; start <= starts; ++start)); do
    mkdir -p "$scratch/$size$start"
    "$python" "$scratch/turns.py" "$turns" "$(command_alone served "$size")" \
      "$(command_recorded "$scratch/$size$start" served "$size")"
  done | tee "$scratch/turns"
  awk '/^median ratio/ { print $3 + 0 }' "$scratch/turns" | sort -g | awk -v most=1.15 '{ r[NR] = $1 }
    END { m = r[int((NR + 1) / 2)]; printf "slow-down %.1f %%\n", 100 * (m - 1); exit m > most }' ||
    fail "recording the $size encoder costs more than 15 %"
done

# Sets the variables that count.py prints.
count() { eval "$("$python" "$scratch/count.py" "$1")"; }

echo "== what was recorded"
kernels=0 launches=0 untied=0 early=0 nodes=0 graphs=0 untied_nodes=0 copies=0 ranges=0 products=0 tied=0 lost=0 ended=0 devices=0
recorded "$scratch/plain" plain >/dev/null
count "$scratch/plain"
readonly expected=$((23 * 6 * 4))  # forwards, layers, linear layers of each
echo "kernels $kernels, launches $launches, kernels without their launch $untied, kernels before their launch $early"
echo "copies $copies, lost $lost, devices $devices, different products $products, launches tied to one $tied (linear layers: $expected)"
((kernels == launches && kernels > 0)) || fail "not every launch has its kernel"
((untied == 0)) || fail "kernels have correlations that no launch has"
((early == 0)) || fail "kernels start before their launch: the clocks differ"
((tied >= expected)) || fail "fewer launches are tied to products than there are linear layers"
((lost == 0)) || fail "records were lost"
((ended >= 1)) || fail "the record has no end"
((devices >= 1)) || fail "no device is described"

echo "== a CUDA graph, replayed 10 times within ranges"
recorded "$scratch/graph" graph
count "$scratch/graph"
echo "kernels $kernels, launches $launches, graph launches $graphs, kernels of graphs $nodes (without their launch $untied_nodes), ranges $ranges"
((kernels == launches)) || fail "not every launch has its kernel: those into the graph may have been counted"
((graphs == 10 && nodes > 0 && nodes % 10 == 0)) || fail "the replays are not all there"
((untied_nodes == 0)) || fail "kernels of graphs have correlations that no graph launch has"
((ranges == 11)) || fail "there should be 11 ranges"

echo "== with PyTorch's own profiler"
recorded "$scratch/profiler" profiler || fail "the program did not run to its end"
count "$scratch/profiler"
echo "kernels $kernels, launches $launches, lost $lost"
grep -h '^W' "$scratch"/profiler/*.record || echo "(no warning: the profiler left CUPTI to the record)"

((failed == 0)) && echo "all as it should be"
exit "$failed"
