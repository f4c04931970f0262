#!/usr/bin/env bash
# Real decisions about a kernel that is the same: how many of them keep it. Each is a bench of its own, in a process of its own,
# as a step of the loop is; the file differs from the kernel by a comment alone.
#
#   tests/perf/false_keeps.sh [DECISIONS] [CASE] [PROGRAM]
#
# 300 decisions about tests/data/elementwise by build/release/bin/autokernel unless they are named; each takes about three seconds.
# Prints a row of a table, and ends with 1 where one was kept.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly decisions=${1:-300} case=${2:-tests/data/elementwise}
program=$(realpath "${3:-build/release/bin/autokernel}")
readonly program
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

{ echo '// The same kernel.'; cat "$case/kernel.cu"; } >"$scratch/same.cu"
declare -A seen=([0]=0 [10]=0 [16]=0)
for ((i = 1; i <= decisions; i++)); do
  code=0
  "$program" bench --device cpu --case "$case" --against "$scratch/same.cu" --log /dev/null >"$scratch/out" 2>"$scratch/err" || code=$?
  if [[ ! -v seen[$code] ]]; then
    echo "decision $i ended with $code: $(tail -n 3 "$scratch/out" "$scratch/err")" >&2
    exit 2
  fi
  seen[$code]=$((seen[$code] + 1))
  if ((code == 0)); then
    echo "decision $i kept a kernel that is the same:" >&2
    cat "$scratch/out" >&2
  fi
done
echo "| case | decisions | kept | not faster | inconclusive |"
echo "|---|---|---|---|---|"
echo "| $case | $decisions | ${seen[0]} | ${seen[10]} | ${seen[16]} |"
((seen[0] == 0))
