#!/usr/bin/env bash
# One kernel of a program with twenty, which takes a quarter of its time, is replaced by one that does the same with a quarter of the
# work, with twice the work, or with as much: how often `autokernel verify` sees it, and whether its interval holds the ratio that many more pairs give.
#
#   tests/perf/verify.sh [REPETITIONS] [OF THE SAME] [STEPS] [WORKERS] [PROGRAM] [MANY KERNELS]
#
# 20 each of the gain and the loss, 200 of the same kernel, of 600 steps of the program, one after the other, by what is in
# build/release, unless they are named. WORKERS run side by side, each on processors of its own. Prints a table, and ends with 1 where
# a gain or a loss is missed or has another interval, or the same kernel is called faster.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly repetitions=${1:-20} of_the_same=${2:-200} steps=${3:-600} workers=${4:-1}
program=$(realpath "${5:-build/release/bin/autokernel}")
many=$(realpath "${6:-build/release/tests/many_kernels}")
# Of 20 pairs, however early it is clear; the mean of all that are taken then.
readonly truths=5 pairs_of_truth=20
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export AUTOKERNEL_RESIDENT=0
export program many steps scratch pairs_of_truth each=$(($(nproc) / workers))

"$program" profile --device cpu -- "$many" "$steps" >profile.txt
"$program" extract --device cpu --kernel _Z4workILi7E -- "$many" "$steps" >extract.txt
folder=$(find cases -mindepth 1 -maxdepth 1 -type d)
export folder

# kernel ROUNDS: the kernel with so many rounds, which may depend on those that the program asks for.
kernel() {
  cat <<CUDA
#include <autokernel.cuh>
AUTOKERNEL_LAUNCH({.kernel = "work", .grid = {1}, .block = {32}});
extern "C" __global__ void work(int* sums, const int* values, int count, int rounds) {
  const int i = threadIdx.x;
  if (i >= count) return;
  const volatile int* each = values;
  int sum = 0;
  for (int round = 0; round < $1; ++round) {
    sum = 7;
    for (int k = 0; k < i; ++k) sum += k < COUNT_out0 ? each[k] : 0;
  }
  sums[i] = sum;
}
CUDA
}
kernel 'rounds / 4' >faster.cu
kernel '2 * rounds' >slower.cu
kernel rounds >same.cu

# verified KIND truth|call NUMBER, in a folder and with a cache of its own: trials on one device take turns by a lock in the cache, and
# workers on processors of their own need not. Adds a line to KIND.truth or KIND.call: conclusion, ratio, low, high, pairs.
# shellcheck disable=SC2317  # xargs calls it
verified() {
  local kind=$1 what=$2 own=$scratch/$1.$2.$3 first=$((SLOT * each)) pairs=()
  if [[ $what == truth ]]; then pairs=(--pairs "$pairs_of_truth"); fi
  mkdir "$own" && cp -r "$scratch/cases" "$own" && cp "$scratch/$kind.cu" "$own/$folder/kernel.cu"
  cd "$own"
  # It ends with 10 where the program is slower.
  XDG_CACHE_HOME=$own/cache taskset -c "$first-$((first + each - 1))" "$program" verify --device cpu --same-output --json \
    "${pairs[@]}" -- "$many" "$steps" >verified.json 2>err.txt || (($? == 10)) || cat err.txt >&2
  python3 - <<'PYTHON' >line || echo "failed 0 0 0 0" >line
import json

speedup = json.load(open("verified.json"))["verification"]["speedup"]
print(speedup["conclusion"], speedup["ratio"], speedup["low"], speedup["high"], speedup["pairs"])
PYTHON
  cat line >>"$scratch/$kind.$what"
}
export -f verified

# The longest first.
{
  for ((i = 0; i < of_the_same; ++i)); do echo same call "$i"; done
  for kind in faster slower same; do
    for ((i = 0; i < truths; ++i)); do echo "$kind" truth "$i"; done
  done
  for ((i = 0; i < repetitions; ++i)); do echo faster call "$i" && echo slower call "$i"; done
} | xargs -P "$workers" --process-slot-var=SLOT -L 1 bash -euo pipefail -c 'verified "$@"' verified

echo "| kernel | true ratio | seen | interval holds it | pairs, median | called faster, slower |"
echo "|---|---|---|---|---|---|"
failed=0
for kind in faster slower same; do
  truth=$(awk '{ s += log($2) } END { printf "%.4f", exp(s / NR) }' "$kind.truth")
  sort -n -k 5 "$kind.call" | awk -v kind="$kind" -v truth="$truth" '
    { seen += $1 == kind; faster += $1 == "faster"; slower += $1 == "slower"; holds += $3 <= truth && truth <= $4; pairs[NR] = $5; bad += $1 == "failed" }
    END {
      printf "| %s | %.3f | %s of %d | %d of %d | %d | %d, %d |\n", kind, truth, kind == "same" ? "-" : seen, NR, holds, NR, pairs[int((NR + 1) / 2)], faster, slower
      if (bad > 0) exit 1
      exit !(kind == "same" ? faster == 0 : seen == NR)
    }' || failed=1
done
exit "$failed"
