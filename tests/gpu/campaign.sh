#!/usr/bin/env bash
# From a program to a faster one on a GPU: profile, extract, the loop with the edits that lie in campaign/, verify, apply. Prints all
# that is called and what it says.
#
#   tests/gpu/campaign.sh PREFIX encoder              a transformer encoder of PyTorch
#   tests/gpu/campaign.sh PREFIX llama PROGRAM        llama-simple of llama.cpp with ggml's CUDA backend, on a model of random
#                                                     weights; Python with numpy and gguf makes that
set -euo pipefail
export LC_ALL=C  # the first of the folders, whatever the language

if (($# < 2)) || [[ ! -x $1/bin/autokernel ]] || [[ $2 != encoder && $2 != llama ]] || [[ $2 == llama && ! -x ${3:-} ]]; then
  echo "usage: $0 PREFIX encoder | $0 PREFIX llama LLAMA_SIMPLE, where PREFIX/bin/autokernel is the program" >&2
  exit 2
fi
readonly chatter='^(print_info|load|load_tensors|create_tensor|init_tokenizer|graph_reserve|sched_reserve|resolve_fused_ops|llama_|~llama|done_|set_abort|ggml_|\.\.|  Device)|CUDA Graph id'
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
prefix=$(realpath "$1")
readonly here prefix
PATH=$prefix/bin:$PATH
python=/opt/torch/.venv/bin/python3
[[ -x $python ]] || python=python3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export AUTOKERNEL_RESIDENT=0 GIT_AUTHOR_NAME=campaign GIT_AUTHOR_EMAIL=campaign@localhost
export GIT_COMMITTER_NAME=campaign GIT_COMMITTER_EMAIL=campaign@localhost

# shown COMMAND...: prints and runs it, without what llama.cpp says of itself; what it ends with is printed where that is not 0.
shown() {
  local rc=0
  printf '$ %s\n' "$*"
  "$@" 2>&1 | cut -c1-180 | grep -avE "$chatter" || rc=${PIPESTATUS[0]}
  ((rc == 0)) || echo "(ends with $rc)"
  echo
}

# improved CASE EDITS: the loop on one case, with the kernel in a folder and then the edits of it that lie there.
improved() {
  local edit
  shown autokernel loop start "$(basename "$1")" --case "$1"
  local -r first=("$here/campaign/$2"/1_*.cu)
  for edit in "${first[0]}" "$here/campaign/$2"/*.sed; do
    [[ -e $edit ]] || continue  # a folder without further edits
    case $edit in
      *.cu) cp "$edit" "$1/kernel.cu" ;;
      *.sed) sed -E -f "$edit" "${first[0]}" >"$1/kernel.cu" ;;
    esac
    shown autokernel loop step --case "$1" -m "$(sed -En '1s/^(\/\/|#) //p' "$edit")"
  done
  shown autokernel loop finish --case "$1"
  git switch -q main
  local -r kept=autokernel/$(basename "$1")-kept
  if git show-ref -q "$kept"; then git merge -q "$kept"; fi
}

kept() {
  git init -q -b main
  git add -A
  git commit -qm "Cases of the program"
}

# The case of a kernel: NAME GRID, as its comment says.
case_of() { grep -l "grid $2" "$scratch"/work/cases/"$1"*/case.toml | head -n 1 | xargs dirname | sed "s|$scratch/work/||"; }

mkdir "$scratch/work"
cd "$scratch/work"
if [[ $2 == encoder ]]; then
  cp "$here/programs/encoder.py" .
  run=("$python" encoder.py 100 32)
  "${run[@]}" | tee alone.txt
  expected=$(awk '/^sum/ { print $2 }' alone.txt)
  # Within a thousandth of what it is without.
  # shellcheck disable=SC2016  # for the shell that checks
  printf 'awk -v e=%s '\''/^sum/ { d = $2 / e - 1; found = d < 1e-3 && d > -1e-3 } END { exit !found }'\'' "$AUTOKERNEL_OUTPUT"\n' "$expected" >check.sh
  shown autokernel profile --top 8 -- "${run[@]}"
  shown autokernel extract --top 5 -- "${run[@]}"
  kept
  improved "$(case_of vectorized_layer_norm_kernel '')" encoder/layer_norm
  shown autokernel verify --metric 'forward_ms ([0-9.]+)' --check 'sh check.sh' --pairs "${PAIRS:-10}" -- "${run[@]}"
  shown autokernel apply -- "${run[@]}"
else
  llama=$(realpath "$3")
  "$python" "$here/programs/random_gguf.py" ../model.gguf
  run=("$llama" -m ../model.gguf -ngl 99 -n 512 "Hello my name is")
  "${run[@]}" >text.txt 2>log.txt
  grep ' tokens per second' log.txt
  # The words that it wrote, from among what it says.
  # shellcheck disable=SC2016  # for the shell that checks
  words='grep -aoE " w[0-9]+" "$AUTOKERNEL_OUTPUT" | sha256sum | cut -c1-64'
  expected=$(AUTOKERNEL_OUTPUT=text.txt sh -c "$words")
  # shellcheck disable=SC2016
  printf 'test "$(%s)" = "%s"\n' "$words" "$expected" >check.sh
  shown autokernel profile --top 8 -- "${run[@]}"
  shown autokernel extract --top 5 -- "${run[@]}"
  kept
  improved "$(case_of mul_mat_vec_q '5632 x')" llama/swiglu
  improved "$(case_of mul_mat_vec_q '2048 x')" llama/output
  shown autokernel verify --metric 'eval time.* ([0-9.]+) tokens per second' --higher-is-better --check 'sh check.sh' \
    --pairs "${PAIRS:-20}" -- "${run[@]}"
  shown autokernel apply -- "${run[@]}"
fi
