#!/usr/bin/env bash
# Real decisions about a kernel that is the same: how many of them keep it. The file differs from the kernel by a comment alone.
#
#   tests/perf/false_keeps.sh [DECISIONS] [WORKERS] [PROGRAM]
#
# 300 decisions about tests/data/elementwise by build/release/bin/autokernel, one after the other, unless they are named; each takes
# about two seconds. Prints a row of a table, and ends with 1 where one was kept.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly decisions=${1:-300} workers=${2:-1}
program=$(realpath "${3:-build/release/bin/autokernel}")
readonly program
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

{ echo '// The same kernel.'; cat tests/data/elementwise/kernel.cu; } >"$scratch/same.cu"
tests/perf/decisions.sh "$program" "$decisions" "$workers" -- \
  --case tests/data/elementwise --against "$scratch/same.cu" >"$scratch/rows"
echo "| decisions | kept | not faster | inconclusive | gain seen, percent: 5th to 95th of 100 | with others on a tenth of the processors or more |"
echo "|---|---|---|---|---|---|"
sort -g -k 2 "$scratch/rows" | awk '
  { seen[$1]++; gain[NR] = $2; if ($3 >= 10) busy++ }
  END {
    printf "| %d | %d | %d | %d | %.1f to %.1f | %d |\n", NR, seen[0], seen[10], seen[16], gain[int(NR * 0.05) + 1], gain[int(NR * 0.95)], busy
    exit seen[0] > 0
  }'
