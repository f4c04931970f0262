#!/usr/bin/env bash
# How long an agent waits: `autokernel loop step` of each verdict, and `autokernel bench`, on the default case. Prints p50 and p95 of
# each, from the start of the command to its verdict, the median to its end, and of each piece of work its median
# (`--timings`). Between two commands is a pause, as an agent edits in it: there the next trial gets ready. At last, what the processes hold that got it ready.
#
#   tests/gpu/steps.sh PREFIX [STEPS]             PREFIX/bin/autokernel, PREFIX/share/autokernel/kernels; 20 steps of each
#   tests/gpu/steps.sh --rehearse PREFIX [STEPS]  the script itself, on the emulated device, at the small size
set -euo pipefail

device=cuda size=default
if [[ ${1:-} == --rehearse ]]; then
  device=cpu size=check
  shift
fi
if (($# < 1)) || [[ ! -x $1/bin/autokernel ]]; then
  echo "usage: $0 [--rehearse] PREFIX [STEPS], where PREFIX/bin/autokernel is the program" >&2
  exit 2
fi
program=$(realpath "$1")/bin/autokernel
source=$(realpath "$1")/share/autokernel/kernels
steps=${2:-20}
pause=2  # seconds; an agent takes longer
readonly program source steps device size pause
export AUTOKERNEL_RESIDENT=20  # it ends soon after this script
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export GIT_AUTHOR_NAME=steps GIT_AUTHOR_EMAIL=steps@localhost GIT_COMMITTER_NAME=steps GIT_COMMITTER_EMAIL=steps@localhost

# The default kernel with so many further steps of its inner loop, whose sum is never that NaN.
with_work() {
  sed "s|^  C\\[row \\* N + col\\] = .*|  float more = 0.0f;\n  for (int k = 0; k < $1; ++k) more += __bfloat162float(A[row * K + k % K]) * __bfloat162float(B[k % K * N + col]);\n  if (__float_as_uint(more) == 0x7fc12345u) C[0] = A[0];\n&|" \
    "$source/kernel.cu"
}
# Each is a new source. Those that are to be kept do less work each time.
edit() {
  local verdict=$1 i=$2
  case $verdict in
    incorrect) sed "s|= __float2bfloat16(sum)|= __float2bfloat16(sum + $i.0f)|" "$source/kernel.cu" ;;
    'does not compile') sed "s|= __float2bfloat16(sum)|= __float2bfloat16(sum + no_such_name_$i)|" "$source/kernel.cu" ;;
    'not faster') with_work $((steps * 32 + 512 + i)) ;;
    kept) with_work $(((steps - i) * 32)) ;;
  esac >repository/kernels/kernel.cu
}
percentile() { sort -n | awk -v p="$1" '{ a[NR] = $1 } END { i = int(NR * p / 100 + 0.999999); print a[i < 1 ? 1 : i] }'; }
row() { printf '| %-18s | %5s | %7s | %7s | %11s |\n' "$@"; }
# row_of WHAT: of what timed() left.
row_of() { row "$1" "$steps" "$(percentile 50 <"$1.s")" "$(percentile 95 <"$1.s")" "$(percentile 50 <"$1.end.s")"; }
# until_verdict: copies standard input, and notes when its verdict came.
until_verdict() {
  local line came=
  while IFS= read -r line; do
    if [[ -z $came && $line == verdict:* ]]; then came=$(date +%s%N); fi
    printf '%s\n' "$line"
  done
  echo "${came:-$(date +%s%N)}" >"$scratch/came"
}
seconds_between() { awk "BEGIN { printf \"%.3f\n\", ($2 - $1) / 1e9 }"; }
# timed FILE COMMAND: appends the seconds to its verdict to FILE.s, those to its end to FILE.end.s, and what it printed to FILE.out.
timed() {
  local begin end rc=0
  begin=$(date +%s%N)
  "${@:2}" 2>"$scratch/err" | until_verdict >"$scratch/out" || rc=$?
  end=$(date +%s%N)
  seconds_between "$begin" "$(cat "$scratch/came")" >>"$1.s"
  seconds_between "$begin" "$end" >>"$1.end.s"
  cat "$scratch/out" >>"$1.out"
  return $rc
}
medians() {
  sed -n '/^timings:/,$p' "$1.out" | sed 's/^timings://' | awk '
    match($0, /^ *[0-9.]+ s from [0-9.]+: /) {
      split(substr($0, 1, RLENGTH), f, " "); what = substr($0, RLENGTH + 1)
      if (!(what in n)) order[++count] = what
      v[what, ++n[what]] = f[1] + 0
    }
    END {
      for (c = 1; c <= count; c++) {
        what = order[c]; m = n[what]
        for (i = 1; i <= m; i++) for (j = i + 1; j <= m; j++) if (v[what, j] < v[what, i]) { t = v[what, i]; v[what, i] = v[what, j]; v[what, j] = t }
        printf "    %7.3f s  (%d)  %s\n", v[what, int((m + 1) / 2)], m, what
      }
    }'
}

mkdir repository && cp -r "$source" repository/kernels && rm -rf repository/kernels/examples
with_work $(((steps + 1) * 32)) >repository/kernels/kernel.cu
(cd repository && git init -q -b main && git add -A && git commit -qm "a slow kernel")
(cd repository && "$program" loop start steps --device "$device" --size "$size" --no-progress 1000) >start.out || { cat start.out; exit 1; }
grep -E '^(Device|median_us)' start.out
# benches WHAT [OPTION]: each of a new source.
benches() {
  for ((i = 1; i <= steps; ++i)); do
    echo "// $1 $i" >>repository/kernels/kernel.cu
    sleep "$pause"
    (cd repository && timed "$scratch/$1" "$program" bench --timings "${@:2}" --device "$device" --size "$size") || true
  done
  (cd repository && git checkout -q -- kernels)
  row_of "$1"
}
row verdict count 'p50, s' 'p95, s' 'end, p50, s'
row --- --- --- --- ---
benches 'bench, cold' --no-resident  # nothing of ours is there yet
unexpected=0
for verdict in 'does not compile' incorrect 'not faster' kept; do
  for ((i = 1; i <= steps; ++i)); do
    edit "$verdict" $i
    sleep "$pause"
    (cd repository && timed "$scratch/$verdict" "$program" loop step --timings -m "$verdict $i") || true
    got=$(sed -n 's/^verdict: *//p' out)
    if [[ $got != "$verdict" ]]; then
      unexpected=$((unexpected + 1))
      echo "# step $i that was to be $verdict is $got: $(sed -n 's/^reason: *//p' out; cat err)" >&2
    fi
    (cd repository && git checkout -q -- kernels)
  done
  row_of "$verdict"
done
benches bench
for what in 'does not compile' incorrect 'not faster' kept bench 'bench, cold'; do
  echo "$what: median of each piece of work (how many)"
  medians "$what"
done
# What each has of its own, and its share of the pages of libraries that it has touched.
own=0 with_libraries=0
for process in $(pgrep -f '^/proc/self/exe (resident|runner|launcher)'); do
  read -r anonymous share < <(awk '/^Private_Dirty:/ { own = $2 } /^Pss:/ { pss = $2 } END { print own, pss }' "/proc/$process/smaps_rollup")
  own=$((own + anonymous)) with_libraries=$((with_libraries + share))
  printf 'process that waits: %s, %d MiB, with libraries %d MiB\n' \
    "$(tr '\0' ' ' <"/proc/$process/cmdline" | cut -d' ' -f2)" $((anonymous / 1024)) $((share / 1024))
done
printf 'the processes that wait hold %d MiB, with libraries %d MiB\n' $((own / 1024)) $((with_libraries / 1024))
nvidia-smi --query-compute-apps=pid,used_memory --format=csv 2>/dev/null || true
echo "$unexpected of $((4 * steps)) steps had another verdict than they must"
((unexpected == 0))
