#!/usr/bin/env bash
# A kernel against the same one with 3 % more work: how often the gain has the right sign. Half of the decisions are about the
# faster one, half about the slower one.
#
#   tests/perf/known_gain.sh [DECISIONS] [WORKERS] [PROGRAM]
#
# 200 decisions about kernels/kernel.cu at the size of its check by build/release/bin/autokernel, one after the other, unless they are
# named. Prints a row of a table, and ends with 1 where fewer than 95 % are right.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly decisions=${1:-200} workers=${2:-1}
program=$(realpath "${3:-build/release/bin/autokernel}")
readonly program
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Of each 32 products one is computed twice; nobody knows but us that the second sum is never that.
awk '{ print } /^  }$/ && !done {
  print "  float more = 0.0f;"
  print "  for (int k = 0; k < K / 32; ++k) {"
  print "    more += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);"
  print "  }"
  print "  if (more == 3.0e38f) sum = more;"
  done = 1
}' kernels/kernel.cu >"$scratch/slower.cu"
grep -q 'K / 32' "$scratch/slower.cu" || { echo "kernels/kernel.cu has changed: no loop to add work to" >&2; exit 2; }

compare() {
  tests/perf/decisions.sh "$program" $((decisions / 2)) "$workers" -- --case kernels --size check --kernel "$1" --against "$2"
}
compare kernels/kernel.cu "$scratch/slower.cu" | sed 's/^/1\t/' >"$scratch/rows"
compare "$scratch/slower.cu" kernels/kernel.cu | sed 's/^/-1\t/' >>"$scratch/rows"
echo "| decisions | right sign | gain of the faster one seen, percent: median, 5th to 95th of 100 | kept the slower one |"
echo "|---|---|---|---|"
awk '{ print $1 * $3 "\t" $1 "\t" $2 }' "$scratch/rows" | sort -g | awk '
  { gain[NR] = $1; right += $1 > 0; wrong += $2 < 0 && $3 == 0 }
  END {
    printf "| %d | %d | %.1f, %.1f to %.1f | %d |\n", NR, right, gain[int((NR + 1) / 2)], gain[int(NR * 0.05) + 1], gain[int(NR * 0.95)], wrong
    exit !(right >= 0.95 * NR)
  }'
