#!/bin/bash
# How often a case of commands keeps what is no gain: a comment is added to the program, again and again.
#     tests/perf/commands.sh [TRIES [CASE...]]      200 tries of each of commands/*, and of a mock server ("server")
# BUDGET=SECONDS in the environment is another budget for each.
# A row for each case: how many edits were kept (0 is the bar), not faster, inconclusive, or refused (0 is right).
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
program=${PROGRAM:-$root/build/release/bin/autokernel}
tries=${1:-200}
shift $(($# > 0 ? 1 : 0))
cases=("$@")
[[ ${#cases[@]} -gt 0 ]] || cases=(json_parser ranking training server)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The comment of the file's language.
comment() { case $1 in *.py | *.txt) echo "# $2" ;; *) echo "// $2" ;; esac; }

# A case of the program's own mock server, whose options are what is edited.
make_server_case() {
  local serve="exec $program mock-server --port \$AUTOKERNEL_PORT --model m"
  mkdir -p case/workspace case/reference
  echo "--ttft-ms 5 --tpot-ms 10" >case/workspace/options.txt
  echo "--ttft-ms 1 --tpot-ms 1" >case/reference/options.txt
  cat >case/case.toml <<TOML
name = "Server"
problem = "serve m"
editable = ["workspace/options.txt"]
[command]
hidden = ["reference/*"]
readable = ["$(dirname "$program")"]
[server]
start = "$serve \$(grep -v '#' workspace/options.txt)"
reference = "$serve \$(cat reference/options.txt)"
model = "m"
[load]
concurrency = 4
requests = 4
warmup = 0
input_tokens = "4:16"
output_tokens = 8
[metric]
name = "e2e"
unit = "s"
json = "/e2e/mean"
min_gain_pct = 2
budget_seconds = 5
TOML
}

printf '| case | tries | kept | not faster | inconclusive | refused | seconds a step |\n|---|---|---|---|---|---|---|\n'
for name in "${cases[@]}"; do
  mkdir "$scratch/$name" && cd "$scratch/$name"
  git init -q && git config user.name perf && git config user.email perf@localhost
  if [[ $name == server ]]; then make_server_case; else cp -r "$root/commands/$name" case; fi
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
    if [[ -n ${count[$code]:-} ]]; then count[$code]=$((count[$code] + 1)); else refused=$((refused + 1)); echo "exit code $code: $(grep -h '^reason' "$scratch/step.out") $(cat "$scratch/step.err")" >&2; fi
  done
  printf '| %s | %d | %d | %d | %d | %d | %d |\n' "$name" "$tries" "${count[0]}" "${count[10]}" "${count[16]}" "$refused" \
    $(((SECONDS - began) / tries))
done
