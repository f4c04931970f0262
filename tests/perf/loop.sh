#!/usr/bin/env bash
# What the loop costs beyond its trials: the rows of docs/performance.md, measured on this machine.
#
#   tests/perf/loop.sh [PROGRAM]     PROGRAM is build/release/bin/autokernel unless it is named
#
# A repository of 10,000 files with a run of 10,000 experiments is made in a scratch folder first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
sources=$PWD
readonly sources
program=$(realpath "${1:-build/release/bin/autokernel}")
readonly program
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
readonly files=10000 experiments=10000 steps=11
row() { printf '| %s | %s | %s | %s |\n' "$@"; }
now_ms() { echo $(($(date +%s%N) / 1000000)); }
median() { sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }

# A kernel that is another one for each number, and takes as long as the others.
edit() { sed "s|^// C = .*|&\nconstexpr int EDIT_$1 = $1;|; 1i constexpr int EDIT_$1 = $1;" "$scratch/base.cu" >kernels/kernel.cu; }

mkdir "$scratch/repository"
cd "$scratch/repository"
export GIT_AUTHOR_NAME=perf GIT_AUTHOR_EMAIL=perf@localhost GIT_COMMITTER_NAME=perf GIT_COMMITTER_EMAIL=perf@localhost
git init -q -b main
cp -r "$sources/tests/data/elementwise" kernels
rm -rf kernels/wrong
cp kernels/kernel.cu "$scratch/base.cu"
for ((d = 0; d < files / 100; d++)); do
  mkdir "d$d"
  for ((f = 0; f < 100; f++)); do echo "$d $f" >"d$d/$f.txt"; done
done
git add -A && git commit -qm files
"$program" loop start perf --device cpu --no-progress 1000000 >"$scratch/start.out"

# The baseline's line again and again, with numbers of its own; references as the loop makes them.
head=$(git rev-parse HEAD)
line=$(tail -n 1 .autokernel/ledger.jsonl)
line=${line/'"status":"keep"'/'"status":"discard"'}
line=${line/'"verdict":"baseline"'/'"verdict":"not faster"'}
digest=${line##*'"source_digest":"'}
digest=${digest%%'"'*}
for ((n = 1; n <= experiments; n++)); do
  numbered=${line/'"number":0'/"\"number\":$n"}
  printf '%s\n' "${numbered/"$digest"/"$n"}"
done >>.autokernel/ledger.jsonl
# As a version would have left it that tied and sealed nothing; the table is made again from it.
sed -i -E 's/"previous":(null|"[0-9a-f]{64}"),//' .autokernel/ledger.jsonl
git update-ref -d refs/autokernel-seals/perf
rm -f results.tsv .git/autokernel-ledger.jsonl
for ((n = 1; n <= experiments; n++)); do echo "create refs/autokernel/perf/$n $head"; done | git update-ref --stdin
"$program" loop status >"$scratch/status.out"  # makes the index again

for ((i = 1; i <= steps; i++)); do
  edit "$i"
  begin=$(now_ms)
  "$program" loop step -m "edit $i" --json >"$scratch/step.json" 2>"$scratch/step.err" || true
  wall=$(($(now_ms) - begin))
  trial=$(sed 's/.*"total_seconds":\([0-9.]*\).*/\1/' "$scratch/step.json")
  awk "BEGIN { printf \"%.0f\n\", $wall - 1000 * $trial }" >>"$scratch/beyond"
  git checkout -q -- kernels
done
row "loop step beyond the trial, $experiments experiments, $files files" "$(median <"$scratch/beyond") ms" "<= 60 ms" "tests/perf/loop.sh: median of $steps"
for ((i = 0; i < 11; i++)); do
  begin=$(now_ms)
  "$program" loop status >"$scratch/status.out"
  echo $(($(now_ms) - begin)) >>"$scratch/statuses"
done
row "loop status, $experiments experiments" "$(median <"$scratch/statuses") ms" "<= 50 ms" "the same: median of 11"

# A scripted agent, once with edits as agents make them (in turn: three other block sizes, arithmetic that is not needed, a wrong
# factor, a missing bracket), once with edits that change nothing, which take the longest to tell.
cat >"$scratch/mixed" <<'AGENT'
n=$(cat "$BASE.turn" 2>/dev/null || echo 0)
echo $((n + 1)) >"$BASE.turn"
edits=('s/THREADS = 256/THREADS = 128/' 's/2 \* a.x + b.x/3 * a.x + b.x/' 's/THREADS = 256/THREADS = 512/' 's/(a.x, /(a.x/;s/a.w + b.w);/a.w + b.w;/'
  's/2 \* a.w + b.w/2 * a.w + b.w + 0 * sinf(a.w)/' 's/THREADS = 256/THREADS = 1024/')
sed -e "${edits[n % 6]}" -e "1i constexpr int TRY_$n = $n;" "$BASE" >"$AUTOKERNEL_KERNEL"
AGENT
cat >"$scratch/idle" <<'AGENT'
sed "1i constexpr int TRY = $$;" "$BASE" >"$AUTOKERNEL_KERNEL"
AGENT
export BASE=$scratch/base.cu
for agent in mixed idle; do
  rm -rf .git .autokernel d* results.tsv
  cp "$scratch/base.cu" kernels/kernel.cu
  git init -q -b main && git add -A && git commit -qm base
  "$program" loop start agent --device cpu --no-progress 1000000 >"$scratch/start.out"
  begin=$(now_ms)
  "$program" loop run --max-runs "${AGENT_RUNS:-30}" --agent "bash $scratch/$agent" >"$scratch/run.out" 2>"$scratch/run.err" || true
  took=$(($(now_ms) - begin))
  made=$(($(wc -l <results.tsv) - 2))  # less the header and the baseline
  row "experiments per hour, elementwise, emulated, $agent edits" "$((made * 3600000 / took))" ">= 1500" "the same: $made experiments"
  cut -f 1-6 results.tsv >"$scratch/$agent.tsv"
done
if [[ -n ${KEEP_RESULTS:-} ]]; then cp "$scratch"/*.tsv "$KEEP_RESULTS"; fi
