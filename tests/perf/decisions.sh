#!/usr/bin/env bash
# Many decisions on the emulated device, each a bench of its own in a process of its own, as a step of the loop is. One line for
# each: its exit code, the gain it saw in percent, and the share of its processors that others used.
#
#   tests/perf/decisions.sh PROGRAM COUNT WORKERS -- ARGUMENTS OF BENCH ...
#
# WORKERS run side by side, each on processors of its own among those this script may run on (`taskset -c 4-15 decisions.sh ...`).
set -euo pipefail
readonly program=$1 count=$2 workers=$3
shift 4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mapfile -t cpus < <(awk '/^Cpus_allowed_list:/ { n = split($2, ranges, ","); for (i = 1; i <= n; i++) { m = split(ranges[i], ends, "-");
  for (cpu = ends[1]; cpu <= ends[m]; cpu++) print cpu } }' /proc/self/status)
readonly each=$((${#cpus[@]} / workers))

# Trials on one device take turns by a lock in the cache folder. Workers on processors of their own need not wait for each other.
work() {
  local i code out=$scratch/out.$1
  export XDG_CACHE_HOME=$scratch/cache.$1
  for ((i = $1; i < count; i += workers)); do
    code=0
    taskset -c "$(IFS=,; echo "${cpus[*]:$1 * each:each}")" \
      "$program" bench --device cpu --log /dev/null "${@:2}" >"$out" 2>"$out.err" || code=$?
    if [[ $code != 0 && $code != 10 && $code != 16 ]]; then
      echo "decision $i ended with $code: $(tail -n 3 "$out" "$out.err")" >&2
      return 2
    fi
    awk -v code="$code" '/^gain_pct:/ { gain = $2 } /^conditions:/ { others = $4 } END { print code "\t" gain "\t" others }' "$out"
  done >"$scratch/rows.$1"
}

for ((worker = 0; worker < workers; worker++)); do
  work "$worker" "$@" &
done
failed=0
for ((worker = 0; worker < workers; worker++)); do
  wait -n || failed=1
done
cat "$scratch"/rows.*
exit "$failed"
