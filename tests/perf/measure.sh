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

# Prints the resident memory, in MB, of process $1 and all that descend from it.
tree_mb() {
  # Processes end while this is read.
  { cat /proc/[0-9]*/stat 2>/dev/null || true; } |
    awk -v root="$1" -v page="$(getconf PAGESIZE)" '
      { pid = $1; sub(/^.*\) /, ""); parent[pid] = $2; pages[pid] = $22 }
      END {
        for (pid in parent) {
          for (p = pid; p in parent && p != root; p = parent[p]) {}
          if (p == root) sum += pages[pid]
        }
        printf "%d\n", sum * page / 1000000
      }'
}

# measured NAME COMMAND ...: runs it, leaves its output in the scratch folder under that name, and sets wall_ms and peak_mb.
measured() {
  local name=$1 begin mb pid
  begin=$(now_ms)
  "${@:2}" >"$scratch/$name" 2>"$scratch/$name.err" &
  pid=$!
  peak_mb=0
  while kill -0 "$pid" 2>/dev/null; do
    mb=$(tree_mb "$pid")
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
# Launches of the checks and the judging are in the rest, so that this is the most it can be.
rest=$(awk "BEGIN { n = $(value default iters | sed 's/ .*//')
  printf \"%.2f\", $wall_ms / 1000 - (n * $(value default median_us) + int((n + 1) / 2) * $(value default reference_us)) / 1e6 }")
row "everything but timed launches and the library's" "$rest s" "<= 2 s" "the same: wall clock less iters times median_us and half of it times reference_us"
row "peak memory, all processes" "$peak_mb MB" "<= 800 MB" "the same"

# The same kernel with square blocks, where the rows of a warp are two.
cp -r kernels "$scratch/square"
sed -i 's/^constexpr int BLOCK_COLS = 32;/constexpr int BLOCK_COLS = 16;/; s/^constexpr int BLOCK_ROWS = 8;/constexpr int BLOCK_ROWS = 16;/' \
  "$scratch/square/kernel.cu"
measured square_blocks "$program" bench --device cpu --case "$scratch/square"
row "one naive 1024^3 launch, blocks of 16 x 16" "$(value square_blocks median_us) us" "<= 400000 us" \
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

# Experiments by the million; a minute. An installed program has no tests beside it.
ledger_perf=$(dirname "$program")/../tests/autokernel_ledger_perf
if [[ -x $ledger_perf ]]; then "$ledger_perf"; fi

# Made by ./dev package: without it there are no such rows.
package_row() {
  if [[ -e $2 ]]; then
    row "$1" "$(awk "BEGIN { printf \"%.1f\", $(stat -c %s "$2") / 1e6 }") MB" "<= 30 MB" "./dev package"
  fi
}
package_row "the package" "$(echo build/autokernel-*-linux-x86_64.tar.xz)"
package_row "the package without the emulated device" "$(echo build/autokernel-*-linux-x86_64-gpu.tar.xz)"
if [[ -d build/package ]]; then
  row "the package, unpacked" "$(du -sm build/package | cut -f 1) MB" "no bar" "du -sm build/package"
fi
