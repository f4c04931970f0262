#!/usr/bin/env bash
# Kernels put into programs on a GPU: one of our own program, by the runtime and the driver API; softmax and matrix products of
# PyTorch, eagerly and in a CUDA graph. Each stands for what the program launches, and is right; whether it is faster is told.
# Needs nvcc; PyTorch for all but our own program. Ends with 1 where a kernel is not right or a launch not replaced.
#
#   tests/gpu/verify.sh PREFIX     PREFIX is an install tree (bin/autokernel, lib/autokernel-driver, ...)
set -euo pipefail

if (($# != 1)) || [[ ! -x $1/bin/autokernel ]]; then
  echo "usage: $0 PREFIX, where PREFIX/bin/autokernel is the program" >&2
  exit 2
fi
prefix=$(realpath "$1")
readonly program=$prefix/bin/autokernel
programs=$(cd "$(dirname "${BASH_SOURCE[0]}")/programs" && pwd)
readonly programs prefix
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export AUTOKERNEL_RESIDENT=0
failures=0
python=
for candidate in /opt/torch/.venv/bin/python3 python3; do
  if "$candidate" -c 'import torch' 2>/dev/null; then python=$candidate && break; fi
done

# verified WHAT [OPTION...] -- COMMAND...: prints what verify says; 0 and 10 are right.
verified() {
  local what=$1 rc=0
  shift
  echo "== $what"
  "$program" verify --pairs 10 "$@" >"$what.txt" 2>&1 || rc=$?
  cut -c1-160 "$what.txt"
  echo "ends with $rc"
  if ((rc != 0 && rc != 10)) || grep -q 'launches replaced;' "$what.txt"; then failures=$((failures + 1)); fi
  echo
}

nvcc -O2 -o own_kernels "$programs/own_kernels.cu" -lcuda
mkdir own && cd own
"$program" profile -- ../own_kernels >/dev/null 2>&1
"$program" extract --kernel sum_rows -- ../own_kernels >/dev/null 2>&1
cat >cases/sum_rows/kernel.cu <<'CUDA'
#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "warps", .grid = {COUNT_out0 / 8}, .block = {32, 8}, .arguments = "in0, out0"});
extern "C" __global__ void warps(const float* in0, float* out0) {
  constexpr int COLUMNS = COUNT_in0 / COUNT_out0;
  const int row = blockIdx.x * 8 + threadIdx.y;
  float sum = 0;
  for (int i = threadIdx.x; i < COLUMNS; i += 32) sum += in0[row * COLUMNS + i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0U, sum, step);
  if (threadIdx.x == 0) out0[row] = sum;
}
CUDA
verified own_kernels -- ../own_kernels
cd ..

if [[ -z $python ]]; then
  echo "no python3 with PyTorch: the rest is left out"
  exit $((failures > 0))
fi
mkdir torch && cd torch
"$program" profile -- "$python" "$programs/layer.py" >/dev/null 2>&1
"$program" extract --top 2 --operations -- "$python" "$programs/layer.py" 2>&1 | cut -c1-160
# The kernel of the box, which is right and slow: what counts is that it runs.
for case in cases/*/; do
  if grep -q LAYOUT_A "$case/case.toml"; then echo "// as it came" >>"$case/kernel.cu"; fi
done
verified products -- "$python" "$programs/layer.py"
verified products_in_graph -- "$python" "$programs/layer.py" 50 graph
cd ..

echo "$failures of the verifications were not as they should be"
((failures == 0))
