#!/usr/bin/env bash
# Makes the fat binaries of this folder anew.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

ptx() { printf -- "-gencode=arch=compute_%s,code=compute_%s " "$1" "$1"; }
machine_code='-gencode=arch=compute_90,code=sm_90'
make() { nvcc --fatbin -o "$1.fatbin" "${@:2}" architecture.cu; }

# shellcheck disable=SC2046,SC2086  # several options each
{
  make default $(ptx 80) $(ptx 90) $machine_code $(ptx 100)
  make size --compress-mode=size $(ptx 80) $machine_code
  make speed --compress-mode=speed $(ptx 80)
  make plain --compress-mode=none $(ptx 80)
  make suffixes $(ptx 90) $(ptx 90a) $(ptx 100f) $(ptx 103a)
  make machine_code $machine_code
}
