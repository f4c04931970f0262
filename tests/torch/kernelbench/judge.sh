#!/usr/bin/env bash
# Problems of KernelBench's level 1, each with a kernel that is right and one with a mistake: imports each problem,
# judges both, and prints a line for it. Exits with 1 unless all right ones are correct and all wrong ones are not.
#
#   judge.sh AUTOKERNEL LEVEL1    AUTOKERNEL: the program. LEVEL1: KernelBench's folder level1, which has the problems
#
#   AUTOKERNEL_TORCH_PYTHON       Python with PyTorch
#   AUTOKERNEL_DEVICE             where the kernels run [cpu]
#   AUTOKERNEL_SIZE               at which size of the cases [check]
set -euo pipefail
if (($# != 2)) || [[ ! -x $1 || ! -d $2 ]]; then
  echo "usage: $0 AUTOKERNEL LEVEL1, the program and KernelBench's folder level1" >&2
  exit 2
fi
if [[ ! -x ${AUTOKERNEL_TORCH_PYTHON:-} ]]; then
  echo "$0: set AUTOKERNEL_TORCH_PYTHON to a Python with PyTorch" >&2
  exit 2
fi
autokernel=$(realpath "$1")
level1=$(realpath "$2")
# Not realpath: a virtual environment is known by the link to its Python.
python=$(cd "$(dirname "$AUTOKERNEL_TORCH_PYTHON")" && pwd)/$(basename "$AUTOKERNEL_TORCH_PYTHON")
kernels=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
device=${AUTOKERNEL_DEVICE:-cpu}
size=${AUTOKERNEL_SIZE:-check}
readonly autokernel level1 python kernels device size
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# judge PROBLEM KERNEL: sets verdict, code and reason.
judge() {
  local output
  code=0
  output=$("$autokernel" bench --case "cases/$1" --kernel "$kernels/$1/$2" --device "$device" --size "$size" \
    --quick 2>&1) || code=$?
  verdict=$(sed -n 's/^verdict: *//p' <<<"$output")
  reason=$(sed -n 's/^reason: *//p' <<<"$output")
  : "${verdict:=exit code $code}"
  [[ $verdict != correct ]] || reason="judged correct, with exit code $code"
  : "${reason:=$(tail -n 1 <<<"$output")}"
}

problems=0 right=0 wrong=0
printf '%-50s %-18s %s\n' problem right wrong
for folder in "$kernels"/*/; do
  problem=$(basename "$folder")
  problems=$((problems + 1))
  if ! "$autokernel" import "$level1/$problem.py" --allow --python "$python" >import.txt 2>&1; then
    printf '%-50s not imported: %s\n' "$problem" "$(tail -n 1 import.txt)"
    continue
  fi
  judge "$problem" right.cu
  line=$verdict
  explanation=
  if [[ $code == 0 && $verdict == correct ]]; then right=$((right + 1)); else explanation=$reason; fi
  judge "$problem" wrong.cu
  printf '%-50s %-18s %s\n' "$problem" "$line" "$verdict"
  [[ -z $explanation ]] || printf '    right.cu: %s\n' "$explanation"
  if [[ $code != 0 && $verdict =~ ^(incorrect|crashed)$ ]]; then
    wrong=$((wrong + 1))
  else
    printf '    wrong.cu: %s\n' "$reason"
  fi
  rm -rf "cases/$problem"
done
echo "$problems problems: $right right kernels are correct, $wrong wrong ones are not"
((problems > 0 && right == problems && wrong == problems))
