#!/usr/bin/env bash
# Exported kernels on a GPU, each by its own test: libraries in C, patches built by nvcc, operators of PyTorch, modules of TVM-FFI
# and kernels for the Hub as far as those are there; what a call of an operator costs; and a comparison with all libraries at three
# sizes. Prints a table; exits with 1 if anything falls short.
#
#   tests/gpu/exports.sh PREFIX    PREFIX/bin/autokernel. Python with PyTorch is /opt/torch/.venv's, or the active one.
#                                  AUTOKERNEL_DRIVER: a rehearsal on that emulated driver, with small sizes and without patches
# shellcheck disable=SC2317  # row calls the functions that it is given
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if (($# != 1)) || [[ ! -x $1/bin/autokernel ]]; then
  echo "usage: $0 PREFIX, where PREFIX/bin/autokernel is the program" >&2
  exit 2
fi
autokernel=$(realpath "$1/bin/autokernel")
[[ -x /opt/torch/.venv/bin/python3 ]] && export VIRTUAL_ENV=/opt/torch/.venv PATH=/opt/torch/.venv/bin:$PATH
NVCC=$(command -v nvcc || true)
readonly autokernel sources=$PWD kernels=$PWD/kernels data=$PWD/tests/data
export AUTOKERNEL=$autokernel AUTOKERNEL_SOURCES=$sources AUTOKERNEL_TEST_FULL=1 NVCC
device=cuda compared_sizes=default,n4096,n8192
if [[ -n ${AUTOKERNEL_DRIVER:-} ]]; then device=cpu compared_sizes=check; fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0
# row NAME COMMAND...: a line of the table, with the last line that the command prints. Code 77: what it needs is missing.
row() {
  local name=$1 output code=0 began=$SECONDS word=ok
  shift
  output=$("$@" 2>&1) || code=$?
  if ((code == 77)); then
    word=skipped
  elif ((code)); then
    word="FAILED $code"
    failed=1
  fi
  printf '%-44s %-8s %4d s  %s\n' "$name" "$word" $((SECONDS - began)) "$(tail -n 1 <<<"$output" | cut -c 1-150)"
  if [[ $word == FAILED* ]]; then tail -n 20 <<<"$output" | sed 's/^/    /'; fi
}

# exported FORM NAME [ARGS]: into FORM-NAME.
exported() {
  "$autokernel" export "${@:3}" --as "$1" --out "$1-$2" --device "$device" >"$1-$2.log" 2>&1 || { cat "$1-$2.log"; return 1; }
}
library() { exported c "$@" && make -s -C "c-$1" test; }
patched() {
  [[ -n $NVCC && $device == cuda ]] || { echo "needs nvcc and a GPU"; return 77; }
  exported patch "$@" || return
  git init -q "code-$1" && git -C "code-$1" apply "$PWD/patch-$1"/*.patch || return
  make -s -C "patch-$1" test NVCC="$NVCC"
}
in_python() {
  python3 -c "import importlib.util as util, sys; sys.exit(util.find_spec('$2') is None)" || { echo "there is no $2"; return 77; }
  python3 -B "$sources/tests/exports/with_torch.py" "$1"
}

echo "Exports, each by its own test"
of() {
  row "c: $1" library "$@"
  row "patch: $1" patched "$@"
}
of axpy --case "$data/axpy"
of split_k --case "$data/split_k"
of scaled_sum --case "$data/scaled_sum"
of blur --case "$data/blur"
of wgmma --case "$kernels" --kernel "$kernels/examples/wgmma_tma.cu"
of softmax --case "$kernels/softmax" --size check
of rmsnorm --case "$kernels/rmsnorm" --size check
row torch in_python torch torch
row tvm-ffi in_python tvm-ffi tvm_ffi
row hub in_python hub kernels
row "a call of the operator" python3 -B "$sources/tests/gpu/programs/operator_cost.py" "$autokernel" "$data/axpy"

# The default case at the sizes of the bar: a minute for all of it.
echo "Comparison"
cp -r "$kernels" case
for n in 4096 8192; do printf '\n[sizes.n%s]\nM = %s\nN = %s\nK = %s\n' $n $n $n $n >>case/case.toml; done
compared() {
  "$autokernel" compare --case case --kernel case/examples/wgmma_tma.cu case/examples/cluster_multicast.cu \
    case/examples/grouped_matmul.py --tune --size "$compared_sizes" --device "$device" "$@"
}
plot=()
if command -v gnuplot >/dev/null; then plot=(--plot compare.png); fi
for time in first second; do
  began=$SECONDS
  if compared "${plot[@]}" >"compare-$time.txt" 2>&1; then word=ok; else word=FAILED; failed=1; fi
  took=$((SECONDS - began))
  cat "compare-$time.txt"
  printf '%-44s %-8s %4d s  %s\n' "compare at three sizes, $time time" "$word" $took "bar of the second: 60 s"
done
if ((took > 60)); then failed=1; fi
if [[ -n ${OUT:-} ]]; then cp compare-*.txt "$OUT"; [[ ! -e compare.png ]] || cp compare.png "$OUT"; fi
exit "$failed"
