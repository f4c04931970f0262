#include "cli/advice.h"

#include "cli/roofline.h"

namespace autokernel::cli {
namespace {

using trial::Result;
using trial::Verdict;

[[nodiscard]] bool is_emulated(const Result& result) {
  return result.device && result.device->emulated;
}

[[nodiscard]] std::string advice_when_correct(const Result& result) {
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

[[nodiscard]] std::string advice_when_crashed(const Result& result) {
  if (is_emulated(result))
    return "see the thread that reason names: an index beyond its tensor, or a trap or assert";
  return "run with --device cpu: the emulated device names the thread and the access";
}

}  // namespace

std::string advice(const Result& result) {
  switch (result.verdict) {
    case Verdict::correct:
      return advice_when_correct(result);
    case Verdict::incorrect:
      return "see which thread computes the element that reason names, and what it leaves out";
    case Verdict::does_not_compile:
      return "fix the line that reason names";
    case Verdict::timed_out:
      return "look for a loop or barrier that never ends; a slow kernel gets more by --timeout";
    case Verdict::crashed:
      return advice_when_crashed(result);
  }
  return {};
}

}  // namespace autokernel::cli
