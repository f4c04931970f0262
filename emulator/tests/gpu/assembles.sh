#!/usr/bin/env bash
# Whether NVIDIA's assembler takes what the emulator's tests run: every module that the tests of single instructions load, and random
# programs. No GPU is needed.
#
#   tests/gpu/assembles.sh FOLDER [PROGRAMS]   FOLDER holds emulator_lower_test and emulator_random_programs; ptxas is in PATH
#
# Prints each module that is refused with the line and the reason; exits with 1 if one is. Left out is what is not meant to be
# taken, and what only other GPUs or code without a stack have (expectations.sh says which); and a constant of bf16 that is
# added to an f32, at which the assembler of CUDA 13.0 crashes.
set -euo pipefail

if (($# < 1 || $# > 2)) || [[ ! -x $1/emulator_lower_test ]]; then
  echo "usage: $0 FOLDER [PROGRAMS]" >&2
  exit 2
fi
programs=$1/emulator_random_programs
kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT

left_out='-*Refus*:Form.*:LocalVariables.OfAModule*:Recursion.SharesTheModulesLocal*:Call.UnderAGuardLeavesAPredicate*:*_of_ptx_9_1*'
left_out+=':MixedPrecisions.TakeConstantsOfBf16'
EMULATOR_TESTS_KEEP_PTX=$kept "$1/emulator_lower_test" --gtest_brief=1 --gtest_filter="$left_out" >/dev/null
for ((seed = 0; seed < ${2:-100}; ++seed)); do "$programs" print "$seed" >"$kept/seed_$seed.ptx"; done

assemble() {
  local said
  said=$(ptxas -arch=sm_90a -O0 "$1" -o /dev/null 2>&1) && return
  # What only sm_100 and later have, or sm_120 alone: the tests name sm_90 in all modules.
  sed -i 's/^\.version .*/.version 9.0/; s/^\.target sm_90.*/.target sm_100a/' "$1"
  said=$(ptxas -arch=sm_100a -O0 "$1" -o /dev/null 2>&1) && return
  sed -i 's/^\.target sm_100a.*/.target sm_120a/' "$1"
  said=$(ptxas -arch=sm_120a -O0 "$1" -o /dev/null 2>&1) && return
  local line
  line=$(grep -om 1 'line [0-9]*' <<<"$said" | grep -o '[0-9]*')
  echo "$(basename "$1"): ${said%%$'\n'*}"
  sed -n "${line:-1}p" "$1"
}
export -f assemble
# shellcheck disable=SC2016  # the inner shell expands it
refused=$(find "$kept" -name '*.ptx' -print0 | xargs -0 -P "$(nproc)" -n 1 bash -c 'assemble "$0"')
count=$(find "$kept" -name '*.ptx' | wc -l)
if [[ -n $refused ]]; then
  echo "$refused"
  exit 1
fi
echo "all of $count modules are taken"
