#!/bin/bash
# How long after its deadline the last process of a trial is gone that would never end, as a row of
# docs/performance.md: the longest of some trials.
#
#     tests/perf/deadline.sh [build/release/bin/autokernel] [TRIALS]
set -euo pipefail

program=${1:-build/release/bin/autokernel}
trials=${2:-8}
readonly limit_us=2000000
kernel=$(dirname "$0")/../data/kernels/never_ends.cu

# Microseconds since some time, as a whole number.
now_us() { echo "${EPOCHREALTIME/[.,]/}"; }

longest=0
for ((i = 0; i < trials; ++i)); do
  entered=0 over=0
  while IFS= read -r line; do
    case $line in
      *"runner "*" started"*) runner=$(sed -n 's/.*runner \([0-9]*\) started.*/\1/p' <<<"$line") ;;
      *"entered phase"*) entered=$(now_us) ;;
      *"killed in phase"*)
        # It leads a session of its own, and so do all that it has started.
        while [[ -n $(ps -o pid= -s "$runner") ]]; do :; done
        over=$(($(now_us) - entered - limit_us))
        ;;
    esac
  done < <("$program" bench --case "$(dirname "$0")/../../kernels" --kernel "$kernel" --device cpu --size check \
    --timeout 2 --verbose 2>&1 >/dev/null || true)
  if ((entered == 0 || over == 0)); then
    echo "$0: the trial was not ended by its deadline" >&2
    exit 1
  fi
  ((over > longest)) && longest=$over
done
printf '| time over the deadline until all processes of a trial are gone | %d ms | <= 1000 ms | tests/perf/deadline.sh |\n' \
  $((longest / 1000))
