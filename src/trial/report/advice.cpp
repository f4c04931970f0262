#include "trial/report/advice.h"

#include "autokernel/trial/roofline.h"

namespace autokernel::trial {
namespace {

[[nodiscard]] bool is_emulated(const Result& result) {
  return result.device && result.device->emulated;
}

// On a GPU the driver gives a code and no more.
constexpr const char* kAskEmulator =
    "run with --device cpu: the emulated device names the line, the thread and the access";

constexpr const char* kMindEverySize =
    "make it right at every size that the case's formulas allow: odd ones, those below a tile, and "
    "those beyond the ones that it lists";

[[nodiscard]] std::string advice_when_not_finite(const Result& result) {
  std::string text =
      "the value is infinite or NaN: look for an overflow, a division by 0, or memory that is read "
      "before it is written";
  const bool shares = result.resources && result.resources->shared_bytes > 0;
  if (shares) text += " (in __shared__ memory also for a missing __syncthreads())";
  return text;
}

// On a program that is no kernel.
[[nodiscard]] std::string advice_on_command(const Result& result) {
  switch (result.verdict) {
    case Verdict::correct:
      return "edit the program and measure it again";
    case Verdict::incorrect:
      return "correct what the check, or the reason, names; 'autokernel case show' has the "
             "commands";
    case Verdict::does_not_compile:
      return "correct what the build names; its folder has the files of the case and no others";
    case Verdict::timed_out:
      return "take less work, or raise the deadline in [limits] of case.toml";
    case Verdict::crashed:
    case Verdict::unsupported:
      break;
  }
  return "the log has all that it printed; it has no network, and no files but its own folder's";
}

}  // namespace

std::string advice_when_correct(const Result& result) {
  if (result.is_of_command) return advice_on_command(result);
  if (is_emulated(result)) {
    return "emulated times compare kernels on this machine only; measure on a GPU before choosing";
  }
  if (result.resources && result.resources->spill_bytes > 0) {
    return "registers spill to memory: smaller tiles per thread, or __launch_bounds__";
  }
  const auto roof = roofline(result);
  if (!roof) return "edit the kernel and run bench again";
  if (roof->bound == Bound::memory) {
    return "limited by memory: wider loads, fewer passes over the data";
  }
  return "limited by arithmetic: tensor cores, and loads that overlap with them";
}

std::string advice_when_crashed(const Result& result) {
  if (result.is_of_command) return advice_on_command(result);
  const bool knows_more = is_emulated(result);
  switch (result.cause) {
    case Cause::out_of_bounds:
      return knows_more
                 ? "at the line that reason names, check the index before the access against the "
                   "size that reason names (the last tile, the last row)"
                 : kAskEmulator;
    case Cause::out_of_shared:
      return "at the line that reason names, check the index against the size of the __shared__ "
             "variable; that of an extern variable is .shared_bytes of the launch";
    case Cause::out_of_local:
      return "at the line that reason names, check the index against the size of the thread's own "
             "array";
    case Cause::null_pointer:
      return "the pointer is null where the line that reason names uses it: it was never set";
    case Cause::misaligned:
      return "a vector access (float4, cp.async of 16 bytes) needs an address that is a multiple "
             "of "
             "its size: start it at such an element, or load narrower";
    case Cause::barrier:
      return "every thread of the block must reach a barrier, and every lane in its mask a "
             "shuffle: move them out of the branch, loop or early return that only some threads "
             "take";
    case Cause::trap:
      return "the kernel reached __trap() or unreachable code, at the line that reason names";
    case Cause::assertion:
      return "the condition that reason quotes does not hold: check what its thread computes there";
    case Cause::instruction:
      return "the threads in the mask of such an instruction must all execute it, with the same "
             "mask: move it out of the branch, or correct the mask";
    case Cause::bad_call:
      return "the function pointer was never set, or its type is not that of the function: see "
             "what sets it";
    case Cause::stack:
      return "nest calls less deeply, turn recursion into a loop, or make local arrays smaller";
    case Cause::unknown:
    case Cause::input_changed:
    case Cause::never_written:
    case Cause::race:
    case Cause::not_finite:
      break;
    case Cause::unseen:
      return kMindEverySize;
  }
  return knows_more ? "see the line and the thread that reason names" : kAskEmulator;
}

std::string advice_when_incorrect(const Result& result) {
  if (result.is_of_command) return advice_on_command(result);
  switch (result.cause) {
    case Cause::race:
      return "a race? Look for a missing __syncthreads() between writing and reading __shared__ "
             "memory, also where the next iteration of a loop overwrites it, for writes without "
             "atomics, for sums by atomics in floating point, whose order differs each time, and "
             "for "
             "a __shared__ element that is read but never written";
    case Cause::not_finite:
      return advice_when_not_finite(result);
    case Cause::unseen:
      return kMindEverySize;
    case Cause::input_changed:
      return "do not write inputs: are the kernel's parameters in the order of case.toml?";
    case Cause::never_written:
      return "check whether the grid covers the whole tensor, and which elements a branch or an "
             "early return leaves out";
    case Cause::out_of_bounds:  // seen by the bytes around a buffer, on a GPU
      return kAskEmulator;
    default:
      return "check which thread computes the element that reason names, and what it leaves out; "
             "outputs, the workspace and __shared__ memory start out as random bits";
  }
}

std::string advice_when_timed_out(const Result& result) {
  if (result.is_of_command) return advice_on_command(result);
  if (result.cause == Cause::unseen) return kMindEverySize;
  if (result.lost_in == Phase::compile) {
    return "the compiler takes too long: unroll less, or use smaller tiles; or raise --timeout";
  }
  if (is_emulated(result)) {
    return "see where reason says the warps stand: a loop or wait there never ends; if the kernel "
           "is merely slow, raise --timeout or use --size check";
  }
  return "look for a loop or barrier that never ends (--device cpu says where the warps stand); "
         "for a slow kernel, raise --timeout";
}

std::string advice_when_it_does_not_compile(const Result& result) {
  if (result.is_of_command) return advice_on_command(result);
  if (result.cause == Cause::unseen) return kMindEverySize;
  return "fix the line that reason names";
}

std::string advice_when_unsupported(const Result& result) {
  if (result.is_of_command) return advice_on_command(result);
  return "write it another way, or measure on a GPU (bench --device cuda, or a separate run there)";
}

}  // namespace autokernel::trial
