#!/bin/bash
# How often a case of commands keeps what is no gain: a comment is added to the program, again and again.
#     tests/perf/commands.sh [TRIES [CASE...]]      200 tries of each of commands/*; BUDGET=SECONDS for another budget
# A row for each case: how many edits were kept (0 is the bar), not faster, inconclusive, or refused (0 is right).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
program=${PROGRAM:-$root/build/release/bin/autokernel}
tries=${1:-200}
shift $(($# > 0 ? 1 : 0))
cases=("$@")
[[ ${#cases[@]} -gt 0 ]] || cases=(json_parser ranking training)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The comment of the file's language.
comment() { case $1 in *.py) echo "# $2" ;; *) echo "// $2" ;; esac; }

printf '| case | tries | kept | not faster | inconclusive | refused | seconds a step |\n|---|---|---|---|---|---|---|\n'
for name in "${cases[@]}"; do
  mkdir "$scratch/$name" && cd "$scratch/$name"
  git init -q && git config user.name perf && git config user.email perf@localhost
  cp -r "$root/commands/$name" case
  [[ -z ${BUDGET:-} ]] || sed -i "s/^budget_seconds = [0-9]*/budget_seconds = $BUDGET/" case/case.toml
  git add -A && git commit -qm case
  "$program" loop start perf --case case --no-progress 1000000 >"$scratch/start.out" 2>"$scratch/start.err"
  main=$("$program" loop status --json | sed -n 's/.*"editable":"\([^"]*\)".*/\1/p')
  declare -A count=([0]=0 [10]=0 [16]=0)
  refused=0 began=$SECONDS
  for ((i = 1; i <= tries; ++i)); do
    line=$(comment "$main" "no-op $i")
    echo "$line" >>"$main"
    code=0
    "$program" loop step -m "no-op $i" --over-budget >"$scratch/step.out" 2>"$scratch/step.err" || code=$?
    if [[ -n ${count[$code]:-} ]]; then count[$code]=$((count[$code] + 1)); else refused=$((refused + 1)); cat "$scratch/step.err" >&2; fi
  done
  printf '| %s | %d | %d | %d | %d | %d | %d |\n' "$name" "$tries" "${count[0]}" "${count[10]}" "${count[16]}" "$refused" \
    $(((SECONDS - began) / tries))
done
