#!/usr/bin/env bash
# Builds one of the programs of this folder with nvcc as any other program is, linked with CUDA's own libcuda.so, and runs it
# with the emulated driver in its place.
#
#   run.sh LIBRARY CUDA PROGRAM     LIBRARY is the emulated driver, CUDA the toolkit's folder; 77 where nvcc is not complete
set -euo pipefail
readonly library=$1 cuda=$2 program=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here

nvcc=$cuda/bin/nvcc
[[ -x $nvcc ]] || nvcc=$(command -v nvcc || true)
[[ -n $nvcc ]] || { echo "skipped: no nvcc in $cuda/bin or on the PATH"; exit 77; }
bin=$(dirname "$(realpath "$nvcc")")
stub=
for folder in "$bin"/../lib64/stubs "$bin"/../lib/stubs "$bin"/../targets/*/lib/stubs; do
  if [[ -e $folder/libcuda.so ]]; then stub=$folder; fi
done
[[ -n $stub ]] || { echo "skipped: this toolkit has no libcuda.so to link with"; exit 77; }
[[ -x $bin/bin2c ]] || { echo "skipped: this toolkit has no bin2c"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/driver"
ln -s "$library" "$work/driver/libcuda.so.1"
ptx() { printf -- '-gencode=arch=compute_%s,code=compute_%s ' "$1" "$1"; }
# shellcheck disable=SC2046  # several options each
"$nvcc" --fatbin $(ptx 80) $(ptx 90) -gencode=arch=compute_90,code=sm_90 -o "$work/kernels.fatbin" "$here/kernels.cu"
"$bin/bin2c" --name image --const "$work/kernels.fatbin" >"$work/kernels_image.h"
source=$here/$program.cpp
[[ -e $source ]] || source=$here/$program.cu
options=()
if [[ $program == linked_* ]]; then
  # shellcheck disable=SC2207  # several options
  options=(-rdc=true -Xlinker=--allow-multiple-definition $(ptx 90) $(find "$here/$program" -name '*.cu' 2>/dev/null || true))
fi
"$nvcc" -std=c++17 -I"$work" -I"$here" "${options[@]}" -o "$work/$program" "$source" -L"$stub" -lcuda
# A driver that was built with a sanitizer needs its run-time library before all others, and that finds C++'s only where it is there.
sanitizer=$(ldd "$library" | sed -n 's|.*=> \(/.*/lib[at]san\.so[^ ]*\).*|\1 libstdc++.so.6|p')
LD_PRELOAD=$sanitizer LD_LIBRARY_PATH=$work/driver "$work/$program" "$work/kernels.fatbin" | tee "$work/output"
tail -n 1 "$work/output" | grep -qx passed
if [[ $program == print ]]; then
  sort "$work/output" | diff - <(printf 'passed\n'; for b in 0 1; do for t in 0 1 2; do echo "thread $t of block $b"; done; done | sort)
fi
