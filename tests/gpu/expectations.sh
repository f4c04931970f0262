#!/usr/bin/env bash
# Whether what the emulator's tests of single instructions expect is what a GPU does: the same kernels, inputs and expected
# results, run by a CUDA driver instead of the emulator.
#
#   tests/gpu/expectations.sh TEST_PROGRAM [DRIVER]   emulator_lower_test, and libcuda.so.1 unless named otherwise
#
# Left out is what cannot be the same, with its reason.
set -euo pipefail

if (($# < 1 || $# > 2)) || [[ ! -x $1 ]]; then
  echo "usage: $0 TEST_PROGRAM [DRIVER]" >&2
  exit 2
fi
readonly program=$1

left_out=(
  # What the emulator says of a kernel that is wrong or that it does not run; on a GPU a fault also ends the process's context.
  '*Fault*' '*Refus*' '*OutOfBounds*' 'Bounds*' 'CheckedTogether*' '*Misuse*' '*CannotBe*' '*CanNeverFill*' '*WhoseFramesAreLarge*'
  'Form.*' 'Each/Forms.*'
  # A GPU adds the products of a step at once and cuts off what does not fit; the emulator's order is its own.
  'Mma.AddsInF32WithOneRoundingFromCOnByAscendingK'
  # Approximations that the test wants nearer than PTX promises.
  'Each/FloatArithmetic.EqualsCxx/sin' 'Each/SmallOperation.EqualsTheReference/f32_div_approx_by_the_largest'
  # Forms that no assembler for this GPU takes, and the emulator does.
  'Each/IntegerToReal.IsRoundedOnce/?8_bf16_*' 'Each/RealToInteger.*/bf16_?8_*' '*/f32_min_of_three'
  # Where on the GPU a warp runs.
  'Each/SpecialRegister.Reads/warpid' 'Each/SpecialRegister.Reads/nwarpid' 'Each/SpecialRegister.Reads/smid' 'Each/SpecialRegister.Reads/nsmid'
)

export EMULATOR_TESTS_DRIVER=${2:-libcuda.so.1}
left_out_pattern=$(
  IFS=:
  echo "${left_out[*]}"
)

# A fault on a GPU is the end of a process: each suite has one of its own, and the tests of one that fails as well. None takes more
# than seconds; lanes that wait for each other may do so for ever on a GPU of before sm_70.
passed=0
failed=()
mapfile -t tests < <("$program" --gtest_list_tests --gtest_filter="-$left_out_pattern" | sed 's/ *#.*//' |
  awk '/^[^ ].*\.$/ { suite = $1; next } /^ / { print suite $1 }')
mapfile -t suites < <(printf '%s\n' "${tests[@]}" | sed 's/\.[^.]*$//' | sort -u)
runs() { timeout 60 "$program" --gtest_brief=1 --gtest_filter="$1" >"$2" 2>&1; }
output=$(mktemp)
trap 'rm -f "$output"' EXIT
for suite in "${suites[@]}"; do
  mapfile -t of_suite < <(printf '%s\n' "${tests[@]}" | grep -F "$suite.")
  if runs "$suite.*-$left_out_pattern" "$output"; then
    passed=$((passed + ${#of_suite[@]}))
    continue
  fi
  for name in "${of_suite[@]}"; do
    if runs "$name" "$output"; then
      passed=$((passed + 1))
    else
      failed+=("$name")
      head -n 12 "$output"
    fi
  done
done
echo "$passed of ${#tests[@]} tests expect what this device does"
if ((${#failed[@]})); then
  printf 'differs: %s\n' "${failed[@]}"
  exit 1
fi
