#!/bin/sh
# Set-up checks of the case: each must pass before a run of experiments means anything.
#     sh checks.sh [MODEL_PATH]
set -eu
cd "$(dirname "$0")"
model=${1:-'{{MODEL_PATH}}'}

echo "1. build: kernels to PTX and cubin, where nvcc is there"
sh workspace/scripts/build.sh

echo "2. parity: operators against the originals"
python3 workspace/tests/parity.py

echo "3. answers: the same request to both servers"
python3 scripts/compare.py --model "$model" --requests 1

echo "all checks passed"
