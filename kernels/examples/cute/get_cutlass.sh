#!/usr/bin/env bash
# Fetches the headers of CUTLASS from PyPI's package nvidia-cutlass into cutlass/include beside this file, or into FOLDER.
#
#   get_cutlass.sh [FOLDER]
set -euo pipefail

readonly version=4.2.0.0
folder=${1:-$(dirname "$(realpath "${BASH_SOURCE[0]}")")/cutlass}
if [[ -d $folder/include/cute ]]; then exit; fi
mkdir -p "$folder"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m pip download --quiet --no-deps --dest "$scratch" "nvidia-cutlass==$version"
python3 -m zipfile -e "$scratch"/nvidia_cutlass-*.whl "$scratch/wheel"
mv "$scratch/wheel/cutlass_library/source/include" "$folder/include"
