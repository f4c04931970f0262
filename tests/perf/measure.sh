#!/usr/bin/env bash
# What autokernel itself costs: the figures of docs/performance.md, measured on this machine, as the rows of its table.
#
#   tests/perf/measure.sh [PROGRAM]     PROGRAM is build/release/bin/autokernel unless it is named
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly program=${1:-build/release/bin/autokernel}
if [[ ! -x $program ]]; then
  echo "$program is not there: run ./dev build first" >&2
  exit 2
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

row() { printf '| %s | %s | %s | %s |\n' "$@"; }
value() { sed -n "s/^$2: *//p" "$scratch/$1" | head -n 1; }
now_ms() { echo $(($(date +%s%N) / 1000000)); }

# Prints the resident memory, in MB, of all processes of session $1: of the program, its runner and whatever that starts.
session_mb() {
  cat /proc/[0-9]*/stat 2>/dev/null |
    awk -v session="$1" -v page="$(getconf PAGESIZE)" '
      { sub(/^.*\) /, ""); if ($4 == session) pages += $22 } END { printf "%d\n", pages * page / 1000000 }'
}

# measured NAME COMMAND ...: runs it in a session of its own; leaves NAME (its output), and sets wall_ms and peak_mb.
measured() {
  local name=$1 begin mb pid
  begin=$(now_ms)
  setsid "${@:2}" >"$scratch/$name" 2>"$scratch/$name.err" &
  pid=$!
  peak_mb=0
  while kill -0 "$pid" 2>/dev/null; do
    mb=$(session_mb "$pid")
    if ((mb > peak_mb)); then peak_mb=$mb; fi
    sleep 0.05
  done
  wait "$pid" || echo "$* exited with $?: $(tail -n 1 "$scratch/$name.err")" >&2
  wall_ms=$(($(now_ms) - begin))
}

echo "| what | measured | bar | command |"
echo "|---|---|---|---|"

measured default "$program" bench --device cpu
row "bench, default case, start to verdict" "$(awk "BEGIN { print $wall_ms / 1000 }") s" "<= 20 s" "autokernel bench --device cpu"
row "timed samples in it" "$(value default iters)" ">= 25" "the same"
row "one naive 1024^3 launch, blocks of 32 x 8" "$(value default median_us) us" "<= 300000 us" "the same: median_us"
row "peak memory, all processes" "$peak_mb MB" "<= 800 MB" "the same"

# The same kernel with square blocks, where the rows of a warp are two.
cp -r kernels "$scratch/square"
sed -i 's/^constexpr int BLOCK_COLS = 32;/constexpr int BLOCK_COLS = 16;/; s/^constexpr int BLOCK_ROWS = 8;/constexpr int BLOCK_ROWS = 16;/' \
  "$scratch/square/kernel.cu"
measured square "$program" bench --device cpu --case "$scratch/square"
row "one naive 1024^3 launch, blocks of 16 x 16" "$(value square median_us) us" "<= 400000 us" \
  "the same, with BLOCK_COLS and BLOCK_ROWS 16"

measured elementwise "$program" bench --device cpu --case tests/data/elementwise
row "bench, elementwise case, 1 M elements" "$(awk "BEGIN { print $wall_ms / 1000 }") s" "<= 2 s" \
  "autokernel bench --device cpu --case tests/data/elementwise"

begin=$(now_ms)
for _ in $(seq 20); do "$program" --version >/dev/null; done
row "--version" "$((($(now_ms) - begin) / 20)) ms" "<= 20 ms" "autokernel --version, mean of 20"

strip -o "$scratch/stripped" "$program"
row "the binary, stripped" "$(awk "BEGIN { printf \"%.1f\", $(stat -c %s "$scratch/stripped") / 1e6 }") MB" "<= 10 MB" \
  "strip build/release/bin/autokernel"
