#!/usr/bin/env bash
# Where the emulated driver keeps compiled kernels, by the variables of NVIDIA's driver.
#
#   cache.sh PROGRAM     PROGRAM runs one kernel on the driver
set -euo pipefail
readonly program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir home
export HOME=$scratch/home
unset XDG_CACHE_HOME CUDA_CACHE_PATH CUDA_CACHE_DISABLE CUDA_CACHE_MAXSIZE

expect() {  # expect WHAT COUNT FOLDER: so many compiled kernels lie in the folder
  local found
  found=$(find "$3" -name '*.kernel' 2>/dev/null | wc -l)
  if ((found != $2)); then
    echo "$1: $found files in $3, not $2" >&2
    exit 1
  fi
}

CUDA_CACHE_DISABLE=1 "$program"
CUDA_CACHE_MAXSIZE=0 "$program"
expect "turned off" 0 .
CUDA_CACHE_MAXSIZE=100 "$program"
expect "too small for any" 0 .
CUDA_CACHE_DISABLE=0 "$program"
expect "below HOME: the kernel, and that its module is sound" 2 home/.cache/autokernel-cpu
"$program"
expect "the second process finds them" 2 home/.cache/autokernel-cpu
XDG_CACHE_HOME=$scratch/cache "$program"
expect "below XDG_CACHE_HOME" 2 cache/autokernel-cpu
CUDA_CACHE_PATH=$scratch/named "$program"
expect "where it is told" 2 named
for file in named/*.kernel; do head -c 100 "$file" >damaged && mv damaged "$file"; done
CUDA_CACHE_PATH=$scratch/named "$program"
for file in named/*.kernel; do (($(stat -c %s "$file") > 100)); done
CUDA_CACHE_PATH=/dev/null/nowhere "$program"
CUDA_CACHE_PATH=$scratch/crowd bash -c 'for i in 1 2 3 4; do "$0" & done; wait' "$program"
expect "written by four at once" 2 crowd
