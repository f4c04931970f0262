#!/bin/sh
# Compiles ops/cuda/*.cu to PTX and cubin, and ops/ptx/*.ptx to cubin, into workspace/.build. Without nvcc it says so.
# Triton and CuTe are compiled by their modules when these are loaded.
set -eu
cd "$(dirname "$0")/.."
# A folder whose name begins with a dot is no part of what is edited.
rm -rf .build
mkdir .build

set -- ops/cuda/*.cu ops/ptx/*.ptx
sources=
for source in "$@"; do
  [ -f "$source" ] && sources="$sources $source"
done
if [ -z "$sources" ]; then
  echo "build: no .cu in ops/cuda and no .ptx in ops/ptx: nothing to compile"
  exit 0
fi

nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
if [ ! -x "$nvcc" ]; then
  echo "build: there is no nvcc on PATH or in CUDA_HOME: not compiled:$sources"
  exit 0
fi

# That of the GPU at hand; without one, that of H100 and H200. The 'a' allows wgmma and setmaxnreg.
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .) || capability=
case "$capability" in
  '' | 90) arch=sm_90a ;;
  100) arch=sm_100a ;;
  *) arch=sm_$capability ;;
esac

for source in $sources; do
  name=$(basename "${source%.*}")
  case "$source" in
    *.cu)
      "$nvcc" -std=c++17 -O3 -lineinfo -arch="$arch" -ptx -o ".build/$name.ptx" "$source"
      "$nvcc" -std=c++17 -O3 -lineinfo -arch="$arch" -cubin -o ".build/$name.cubin" "$source"
      ;;
    *.ptx)
      "$(dirname "$nvcc")/ptxas" -arch="$arch" -o ".build/$name.cubin" "$source"
      ;;
  esac
  echo "build: $source for $arch"
done
