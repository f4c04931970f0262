#!/usr/bin/env bash
# Kernels in Triton, and problems of other benchmarks with their solutions, on a GPU: Triton's starters, the definition of
# tests/data, its solutions evaluated, exported and built by PyTorch, and what is in further folders. Prints a table; exits with 1
# if anything falls short.
#
#   tests/gpu/problems.sh PREFIX [FOLDER ...]    PREFIX/bin/autokernel. Python with PyTorch and Triton is /opt/torch/.venv's, or the
#                                                active one. FOLDER: a data set of FlashInfer Trace or SOL-ExecBench
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if (($# < 1)) || [[ ! -x $1/bin/autokernel ]]; then
  echo "usage: $0 PREFIX [FOLDER ...], where PREFIX/bin/autokernel is the program" >&2
  exit 2
fi
autokernel=$(realpath "$1/bin/autokernel")
shift
folders=()
for folder in "$@"; do folders+=("$(realpath "$folder")"); done
[[ -x /opt/torch/.venv/bin/python3 ]] && export VIRTUAL_ENV=/opt/torch/.venv PATH=/opt/torch/.venv/bin:$PATH
readonly autokernel folders data=$PWD/tests/data/definition kernels=$PWD/kernels programs=$PWD/tests/gpu/programs
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
# row NAME COMMAND...: a line of the table, with the last line that the command prints.
row() {
  local name=$1 output code=0 began=$SECONDS
  shift
  output=$("$@" 2>&1) || code=$?
  ((code == 0)) || failed=1
  printf '%-44s %-6s %4d s  %s\n' "$name" "$([[ $code == 0 ]] && echo ok || echo "FAILED $code")" $((SECONDS - began)) \
    "$(grep -E '^default|largest difference|correct|autokernel:' <<<"$output" | tail -n 1 | cut -c 1-150)"
  ((code == 0)) || tail -n 15 <<<"$output" | sed 's/^/    /'
}

echo "Triton's starters"
for starter in . softmax layernorm rmsnorm cross_entropy rotary_embedding reduce fused_mlp flash_attention gemm; do
  row "$starter" "$autokernel" bench --case "$kernels/$starter" --kernel "$kernels/$starter/kernel.py" --no-resident
done

cd "$scratch"
echo "The definition of tests/data"
mkdir rows
cp "$data"/*.json* rows
row import "$autokernel" import rows
for solution in cuda triton; do
  row "evaluate $solution" "$autokernel" evaluate "rows/solution_$solution.json" --kernel-out "$solution" --traces traces.jsonl
done
for format in sol-execbench flashinfer-trace; do
  row "export cuda, $format" "$autokernel" export --case cases/scaled_rows --kernel cuda/kernel.cu --as "$format" \
    --out "cuda-$format.json"
  row "  built by PyTorch" python3 "$programs/run_solution.py" rows/definition.json rows/workload.jsonl "cuda-$format.json"
done
cp -r triton plain
cat >plain/kernel.py <<'PYTHON'
import triton
import triton.language as tl
from autokernel import rows, width


@triton.jit
def rows_kernel(x, scale, y, offset, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    value = tl.load(x + row * WIDTH + at, mask=at < WIDTH).to(tl.float32)
    tl.store(y + row * WIDTH + at, (value * tl.load(scale + row) + offset).to(tl.float16), mask=at < WIDTH)


def launch(x, scale, y, offset):
    rows_kernel[(rows,)](x, scale, y, offset, WIDTH=width, BLOCK=triton.next_power_of_2(width))
PYTHON
for kind in triton plain; do
  row "export $kind" "$autokernel" export --case cases/scaled_rows --kernel "$kind/kernel.py" --as sol-execbench \
    --out "$kind.json"
  row "  run with PyTorch" python3 "$programs/run_solution.py" rows/definition.json rows/workload.jsonl "$kind.json"
done

for folder in "${folders[@]}"; do
  echo "${folder##*/}"
  rm -rf cases
  row import "$autokernel" import "$folder" --allow
  while IFS= read -r -d '' solution; do
    # At all sizes, the references on the CPU take minutes.
    row "${solution#"$folder/"}" "$autokernel" evaluate "$solution" --traces traces.jsonl --sizes default,check
  done < <(find "$folder" -name 'solution*.json' -print0 -o -path '*/solutions/*.json' -print0 | sort -z)
done
exit "$failed"
