#!/usr/bin/env bash
# Programs that are profiled and captured from on a GPU: what recording costs, what the forwarding driver costs, and whether
# captured kernels replay and are judged right. Needs nvcc; PyTorch and Triton for all but our own kernels.
#
#   tests/gpu/programs.sh PREFIX [PROGRAM...]     PREFIX is an install tree (bin/autokernel, lib/autokernel-driver, ...);
#                                                 further programs are taken as our own are
set -euo pipefail

if (($# < 1)) || [[ ! -x $1/bin/autokernel ]]; then
  echo "usage: $0 PREFIX [PROGRAM...], where PREFIX/bin/autokernel is the program" >&2
  exit 2
fi
prefix=$(realpath "$1")
shift
further=()
for each in "$@"; do further+=("$(realpath "$each")"); done
readonly further
readonly prefix
readonly program=$prefix/bin/autokernel
programs=$(cd "$(dirname "${BASH_SOURCE[0]}")/programs" && pwd)
readonly programs
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export AUTOKERNEL_RESIDENT=0
failures=0

python=
for candidate in /opt/torch/.venv/bin/python3 python3; do
  if "$candidate" -c 'import torch, triton' 2>/dev/null; then python=$candidate && break; fi
done

driver=$(ldconfig -p | awk '/libcuda\.so\.1 /{ print $NF; exit }')
if [[ ! -e $driver ]]; then driver=/usr/local/nvidia/lib64/libcuda.so.1; fi

# The median of numbers, one a line.
median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

echo "== the forwarding driver: ns that a launch of an empty kernel takes the program, median of 9 rounds in turn"
nvcc -O2 -o own_kernels "$programs/own_kernels.cu" -lcuda
printf 'no_such_kernel\t*\t*\t*\t0\n' >wanted.txt
mkdir captures
for _ in 1 2 3; do
  ./own_kernels | awk '/ns_per/ { print $2 }' >>alone.txt
  AUTOKERNEL_DRIVER=$driver LD_LIBRARY_PATH=$prefix/lib/autokernel-driver:${LD_LIBRARY_PATH:-} \
    ./own_kernels | awk '/ns_per/ { print $2 }' >>forwarded.txt
  AUTOKERNEL_CAPTURE=wanted.txt AUTOKERNEL_CAPTURE_DIR=captures AUTOKERNEL_DRIVER=$driver \
    LD_LIBRARY_PATH=$prefix/lib/autokernel-driver:${LD_LIBRARY_PATH:-} ./own_kernels | awk '/ns_per/ { print $2 }' >>watched.txt
done
printf 'alone %s, forwarded %s, forwarded and watched %s\n' "$(median <alone.txt)" "$(median <forwarded.txt)" "$(median <watched.txt)"

# captured NAME COMMAND...: each kernel of the program becomes a case, and the captured kernel is judged.
captured() {
  local name=$1 case verdict
  shift
  "$program" profile --top 1 -- "$@" >/dev/null 2>&1
  "$program" extract --top 60 --captures 2 --out "cases_$name" -- "$@" >"$name.txt" 2>&1 || true
  grep -A1 ' %  ' "$name.txt" | grep -v '^--' | cut -c1-160
  for case in "cases_$name"/*/; do
    verdict=$("$program" bench --case "$case" --quick 2>&1 | awk '/^verdict:/ { v = $2 } /^vs_reference:/ { r = $2 } /^reason:/ { $1 = ""; w = $0 }
      END { print v, "vs_reference", r, w }' || true)
    printf '%-70s %s\n' "$case" "$verdict"
    [[ $verdict == correct* ]] || failures=$((failures + 1))
  done
}

echo
echo "== kernels of our own, by the runtime and by the driver API"
captured own ./own_kernels
for each in "${further[@]}"; do
  echo
  echo "== $(basename "$each")"
  captured "$(basename "$each")" "$each"
done
if [[ -n $python ]]; then
  echo
  echo "== ATen, cuBLASLt, cuDNN, flash attention, CUB, Triton"
  captured ops "$python" "$programs/ops.py"
  echo
  echo "== what recording costs, and whether it is whole"
  bash "$here/profile.sh" "$prefix" 2>&1 | cut -c1-160
else
  echo "no python3 with PyTorch and Triton: the rest is left out"
fi
echo
echo "$failures of the captured kernels were not judged correct"
((failures == 0))
