#!/usr/bin/env bash
# Whether what the emulator's tests of single instructions expect is what a GPU does: the same kernels, inputs and expected
# results, run by a CUDA driver instead of the emulator.
#
#   tests/gpu/expectations.sh TEST_PROGRAM [DRIVER]   emulator_lower_test, and libcuda.so.1 unless named otherwise
#
# Prints a line for each test that differs, with the first thing it says, and a summary; exits with 1 if one does. Left out is
# what cannot be the same, with its reason.
set -euo pipefail

if (($# < 1 || $# > 2)) || [[ ! -x $1 ]]; then
  echo "usage: $0 TEST_PROGRAM [DRIVER]" >&2
  exit 2
fi

left_out=(
  # What the emulator says of a kernel that is wrong or that it does not run; on a GPU a fault also ends the process's context.
  '*Fault*' '*Refus*' '*OutOfBounds*' 'Bounds*' 'CheckedTogether*' '*Misuse*' '*CannotBe*' '*CanNeverFill*' '*WhoseFramesAreLarge*'
  'Call.WhoseCopiesHaveTooManyRegistersIsCarriedOutByThreads' 'ThreadCollective.OfOneKindIsToldByItsWordsAndNotByTheNamesBesideIt' 'Warpgroup.ReadsTheTilesOfGroupsThatAreStillPending' 'Window.LanesAllAroundTheAddressSpaceAreTakenOneByOne'
  'Form.*' 'Each/Forms.*'
  # A GPU adds the products of a step at once and cuts off what does not fit; the emulator's order is its own.
  'Mma.AddsInF32WithOneRoundingFromCOnByAscendingK'
  # Approximations that the test wants nearer than PTX promises.
  'Each/FloatArithmetic.EqualsCxx/sin' 'Each/SmallOperation.EqualsTheReference/f32_div_approx_by_the_largest'
  # Forms that no assembler for this GPU takes, and the emulator does: those of sm_100 and later, and a variable of a module in
  # local memory is for code without a stack.
  '*/f32_min_of_three' '*FloatPair*' '*MixedPrecision*' '*ExtremeOfThree*' '*FloatReduction*' '*WideAccess*' '*SmallFloat*' '*PowersOfTwo*' '*RandomRounding*' 'LaunchControl*' 'BulkFill*' 'BulkCopyOfSomeBytes*' '*ByteMatrix*' '*SmallMatrix*' '*ScaledMatrix*' 'ReleasedAsynchronously*' 'LocalVariables.OfAModuleAreEachThreadsOwn' 'Recursion.SharesTheModulesLocalVariablesAmongFunctions'
  # What the assembler for this GPU computes otherwise than PTX says: video_test.cpp has the particulars.
  '*.ClampsComparesAndMergesAsThePtxIsaSays*' 'VideoProduct.IsScaledAndClampedAsThePtxIsaSays'
  # Where on the GPU a warp runs.
  'Each/SpecialRegister.Reads/warpid' 'Each/SpecialRegister.Reads/nwarpid' 'Each/SpecialRegister.Reads/smid' 'Each/SpecialRegister.Reads/nsmid'
  # Parameters in registers are what the assembler for this GPU crashes at (vectors), refuses (predicates), or gives no result of
  # (from a function that returns in several places).
  'Call.HandsOverVectorsAndPredicatesInRegisters' 'Call.UnderAGuardLeavesAPredicateOfTheOthersAlone'
  'RegisterParameters.AreTakenBackAtEveryReturn'
  # A block that is in no cluster copies nothing within its own shared memory on an H200: fault 715.
  'BulkCopy.WithinSharedMemoryCompletesAtItsBarrier' 'BulkReduction.InSharedMemoryCompletesAtItsBarrier'
  # An H200 keeps subnormal numbers here.
  'BulkReduction.FlushesSubnormalFloatsAsThePtxIsaSays'
  # The lanes of a warp arrive together on an H200, and see the same count.
  'Mbarriers.CountArrivalsOfAllLanes'
  # NVIDIA's assembler does not keep the argument of a call whose result has the same name.
  'Call.WhoseResultLandsInItsArgumentReadsTheArgumentAsItWas'
  # A GPU lets these lanes wait for each other for ever.
  'Waiting.LanesInSeveralLoopsTakeTurns' 'Waiting.LanesTakeALockByExchange' 'Waiting.ListsGrowUnderALockPerBucket'
  # What it says of a fault.
  'Parts.OneThatNothingReachesIsLeftOut'
  # What it says of a fault, and how much a block takes besides its own bytes.
  '*Heap.IsGuarded*' '*Heap.GivesNullWhereItIsFull*'
  # NVIDIA's assembler leaves the guard of an alloca out.
  'Alloca.UnderAGuardIsTakenInItsLanesOnly'
  # PTX leaves open what a kernel finds in the memory reserved for the system.
  'SpecialRegisters.NameSharedMemoryThatIsReserved'
)

export LC_ALL=C  # one order of names for sort and comm
program=$1
EMULATOR_TESTS_DRIVER=${2:-libcuda.so.1}
left_out_pattern=$(
  IFS=:
  echo "${left_out[*]}"
)
output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT
export EMULATOR_TESTS_DRIVER program left_out_pattern output

# The tests take some seconds together, and each process some more to start on the device. So a few processes share them, and what
# did not pass runs again by itself: a fault may be the end of a process, and lanes that wait for each other may do so for ever on a
# GPU of before sm_70.
readonly processes=8
share() {
  GTEST_TOTAL_SHARDS=$1 GTEST_SHARD_INDEX=$2 timeout 40 "$program" --gtest_filter="-$left_out_pattern" >"$output/share_$2" 2>&1 || true
}
alone() { timeout 10 "$program" --gtest_filter="$2" >"$output/alone_$1" 2>&1 || true; }
export -f share alone

mapfile -t tests < <("$program" --gtest_list_tests --gtest_filter="-$left_out_pattern" | sed 's/ *#.*//' |
  awk '/^[^ ].*\.$/ { suite = $1; next } /^ / { print suite $1 }' | sort)
seq 0 $((processes - 1)) | xargs -P "$processes" -I{} bash -c "share $processes {}"
mapfile -t again < <(comm -23 <(printf '%s\n' "${tests[@]}") \
  <(sed -n 's/^\[       OK \] \([^ ,]*\).*/\1/p' "$output"/share_* | sort))
# shellcheck disable=SC2016  # the inner shell expands them
for i in "${!again[@]}"; do echo "$i ${again[i]}"; done | xargs -r -P "$processes" -L 1 bash -c 'alone "$0" "$1"'

differing=0
for i in "${!again[@]}"; do
  grep -q '^\[       OK \]' "$output/alone_$i" && continue
  differing=$((differing + 1))
  said=$(grep -v -e '^\[' -e '^Note:' -e '^Running main' -e '^$' "$output/alone_$i" | head -n 6 | tr '\n' ' ' | cut -c 1-300 || true)
  echo "differs: ${again[i]}: ${said:-nothing was said in time}"
done
echo "$((${#tests[@]} - differing)) of ${#tests[@]} tests expect what this device does"
((differing == 0))
