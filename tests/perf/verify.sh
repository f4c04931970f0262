#!/usr/bin/env bash
# One kernel of a program with twenty, which takes a quarter of its time, is replaced by one that does the same with a quarter of the
# work, with twice the work, or with as much: how often `autokernel verify` sees it, and whether its interval holds the ratio that many more pairs give.
#
#   tests/perf/verify.sh [REPETITIONS] [OF THE SAME] [STEPS]
#
# 20 each of the gain and the loss, 200 of the same kernel, of 600 steps of the program, unless they are named. Prints a table, and ends
# with 1 where a gain or a loss is missed or has another interval, or the same kernel is called faster.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly repetitions=${1:-20} of_the_same=${2:-200} steps=${3:-600}
program=$(realpath build/release/bin/autokernel)
many=$(realpath build/release/tests/many_kernels)
readonly program many
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export AUTOKERNEL_RESIDENT=0

"$program" profile --device cpu -- "$many" "$steps" >profile.txt
"$program" extract --device cpu --kernel _Z4workILi7E -- "$many" "$steps" >extract.txt
folder=$(find cases -mindepth 1 -maxdepth 1 -type d)
readonly folder

# kernel ROUNDS: the kernel with so many rounds, which may depend on those that the program asks for.
kernel() {
  cat >"$folder/kernel.cu" <<CUDA
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

# Prints conclusion, ratio, low, high, pairs. (It ends with 10 where the program is slower.)
verified() {
  "$program" verify --device cpu --same-output --json "$@" -- "$many" "$steps" >verified.json 2>err.txt || (($? == 10)) || cat err.txt >&2
  python3 - <<'PYTHON' || echo "failed 0 0 0 0"
import json

speedup = json.load(open("verified.json"))["verification"]["speedup"]
print(speedup["conclusion"], speedup["ratio"], speedup["low"], speedup["high"], speedup["pairs"])
PYTHON
}

echo "| kernel | true ratio | seen | interval holds it | pairs, median | wrongly called |"
echo "|---|---|---|---|---|---|"
failed=0
for kind in faster slower same; do
  case $kind in
    faster) kernel 'rounds / 4' && count=$repetitions ;;
    slower) kernel '2 * rounds' && count=$repetitions ;;
    same) kernel rounds && count=$of_the_same ;;
  esac
  # Of 100 pairs, however early it is clear; the mean of all that are taken then.
  true_ratio=$(for _ in 1 2 3 4 5; do verified --pairs 20; done | awk '{ s += log($2) } END { printf "%.4f", exp(s / NR) }')
  for ((i = 0; i < count; ++i)); do verified; done >"$kind.txt"
  awk -v kind="$kind" -v truth="$true_ratio" '
    { seen += $1 == kind; called += $1 == "faster" || $1 == "slower"; holds += $3 <= truth && truth <= $4; pairs[NR] = $5; bad += $1 == "failed" }
    END {
      n = asort_pairs(pairs)
      printf "| %s | %.3f | %s of %d | %d of %d | %d | %d |\n", kind, truth, kind == "same" ? "-" : seen, NR, holds, NR, pairs[int((NR + 1) / 2)], kind == "same" ? called : 0
      if (bad > 0) exit 1
      exit !(kind == "same" ? called == 0 : seen == NR)
    }
    function asort_pairs(a, i, j, t) {
      for (i = 1; i <= NR; ++i) for (j = i + 1; j <= NR; ++j) if (a[j] < a[i]) { t = a[i]; a[i] = a[j]; a[j] = t }
      return NR
    }' "$kind.txt" || failed=1
done
exit "$failed"
