#!/usr/bin/env bash
# The kernels of tests/adversarial on a GPU: what each says of itself in its first comment against what the program says of it.
# One row of a table for each; exits with 1 where one differs. What cannot run here is skipped, with the reason.
#
#   tests/gpu/adversarial.sh PROGRAM [DEVICE [REPETITIONS [FILE ...]]]   PROGRAM bench, on device cuda, once, of all files
#                                                                       unless told otherwise
set -euo pipefail

if (($# < 1)) || [[ ! -x $1 ]]; then
  echo "usage: $0 PROGRAM [DEVICE [REPETITIONS [FILE ...]]], where PROGRAM is autokernel" >&2
  exit 2
fi
program=$(realpath "$1")
readonly program device=${2:-cuda} repetitions=${3:-1}
files=("${@:4}")
sources=$(realpath "${BASH_SOURCE[0]%/*}/../..")
readonly sources
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# says FILE KEY: what stands in its first comment after "// KEY: ", in the first such line.
says() { sed -n '/^\/\/ /!q; s|^// '"$2"': ||p' "$1" | head -n 1; }

# codes VERDICT: the exit codes it may have, as tests/adversarial/kernel_file.cpp lists them.
codes() {
  case $1 in
    correct | faster) echo 0 ;;
    'not faster') echo 10 16 ;;
    incorrect) echo 11 ;;
    'does not compile') echo 12 ;;
    'timed out') echo 13 ;;
    crashed) echo 14 ;;
    *) echo "no such verdict: '$1'" >&2; exit 2 ;;
  esac
}

row() { printf '| %-36s | %-16s | %-24s | %-7s |\n' "$@"; }

wrong=0
runs=0
accepted=0
# judge FILE: benches it, and compares.
judge() {
  local file=$1 name source case must verdict words size against rc reason i arguments=()
  name=$(basename "$file" .cu)
  must=$(says "$file" 'must be')
  [[ -n $must ]] || must=correct
  if [[ $device != cpu && -n $(says "$file" 'on a GPU') ]]; then must=$(says "$file" 'on a GPU'); fi
  verdict=${must%%, *}
  words=
  if [[ $must == *', '* ]]; then words=${must#*, }; fi
  if [[ $device == cpu && -n $(says "$file" 'only on a GPU') ]]; then
    row "$name" "$verdict" "$(says "$file" 'only on a GPU' | cut -c1-24)" skipped
    return
  fi
  if [[ $verdict == 'not run' ]]; then
    row "$name" - "${words:0:24}" skipped
    echo "# $name: $words" >&2
    return
  fi
  source=$(says "$file" source)
  source=${source:+$sources/$source}
  case=$(says "$file" case)
  case=${case:-kernels}
  size=$(says "$file" size)
  against=$(says "$file" against)
  if [[ $device != cpu && -n $(says "$file" 'on a GPU against') ]]; then against=$(says "$file" 'on a GPU against'); fi
  if [[ $verdict == 'not faster' ]]; then against=${against:-$case/kernel.cu}; fi
  read -ra arguments <<<"$(says "$file" arguments)"
  if [[ -n $against ]]; then arguments+=(--against "$sources/$against"); fi
  rm -rf "$scratch/case" && cp -r "$sources/$case" "$scratch/case"
  for ((i = 0; i < repetitions; ++i)); do
    rc=0
    timeout 600 "$program" bench --device "$device" --case "$scratch/case" --kernel "${source:-$file}" --size "${size:-check}" \
      "${arguments[@]}" >"$scratch/out" 2>"$scratch/err" || rc=$?
    reason=$(sed -n 's/^reason: *//p' "$scratch/out")
    runs=$((runs + 1))
    if [[ " $(codes "$verdict") " == *" $rc "* && $(<"$scratch/out") == *"$words"* ]]; then
      accepted=$((accepted + 1))
      continue
    fi
    row "$name" "$verdict" "exit code $rc" FAIL
    echo "# $name: $reason$(head -c 400 "$scratch/err")" >&2
    wrong=$((wrong + 1))
    return
  done
  row "$name" "$verdict" "exit code $rc" pass
}

row kernel 'must be' 'is' result
row --- --- --- ---
((${#files[@]})) || files=("$sources"/tests/adversarial/{kernels,honest}/*.cu)
for file in "${files[@]}"; do judge "$file"; done
echo "$accepted of $runs benches gave the verdict that they must" >&2
if ((wrong)); then
  echo "$wrong kernels got another verdict" >&2
  exit 1
fi
