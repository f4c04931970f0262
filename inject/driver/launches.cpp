#include "driver/launches.h"

#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>

#include "driver/capture.h"
#include "driver/real_driver.h"
#include "driver/replacing.h"

namespace autokernel::inject {
namespace {

struct Watch {
  // Captures have the device to themselves; other launches share it.
  std::shared_mutex device;
  std::shared_mutex names;
  std::unordered_map<CUfunction, bool> wanted;  // by handle: whether its name is
  std::mutex counting;
  std::map<const Wanted*, std::uint64_t> seen;
};
Watch& state() {
  static auto* const kept = new Watch;
  return *kept;
}

[[nodiscard]] bool is_wanted(const std::string& name) {
  for (const Wanted& wanted : request().wanted) {
    if (wanted.name == name) return true;
  }
  return false;
}

[[nodiscard]] bool is_wanted(CUfunction function) {
  Watch& watch = state();
  {
    const std::shared_lock lock(watch.names);
    const auto found = watch.wanted.find(function);
    if (found != watch.wanted.end()) return found->second;
  }
  const bool wanted = is_wanted(LaunchedFunction(function).name());
  const std::unique_lock lock(watch.names);
  watch.wanted[function] = wanted;
  return wanted;
}

// Which launch of its kind it is, where that one is to be captured.
[[nodiscard]] std::optional<std::uint64_t> counted(const std::string& name, const Shape& shape) {
  const std::lock_guard lock(state().counting);
  std::optional<std::uint64_t> occurrence;
  for (const Wanted& wanted : request().wanted) {
    if (wanted.name != name || !wanted.matches(shape)) continue;
    const std::uint64_t number = state().seen[&wanted]++;
    if (wanted.occurrences.contains(number)) occurrence = number;
  }
  return occurrence;
}

}  // namespace

bool is_watching() {
  static const bool watching = !request().wanted.empty() || is_replacing();
  return watching;
}

CUresult watched(const LaunchView& launch, const std::function<CUresult()>& forward) {
  if (is_replacing()) return launch_or_replace(launch, forward);
  Watch& watch = state();
  if (is_wanted(launch.function)) {
    const LaunchedFunction function(launch.function);
    if (is_being_recorded(launch.stream)) {
      note_graph(function);
    } else if (const auto occurrence = counted(function.name(), launch.shape)) {
      const std::unique_lock lock(watch.device);
      return capture(launch, function, *occurrence, forward);
    }
  }
  const std::shared_lock lock(watch.device);
  return forward();
}

void note_node(CUfunction function, CUkernel kernel) {
  // Whichever is given: the other one is null.
  const bool has_function =
      function != nullptr || (kernel != nullptr && AUTOKERNEL_REAL(cuKernelGetFunction)(
                                                       &function, kernel) == CUDA_SUCCESS);
  if (!has_function) return;
  if (is_replacing()) {
    note_node_of_graph(function);
  } else if (is_wanted(function)) {
    note_graph(LaunchedFunction(function));
  }
}

void forget_functions() {
  forget_replaced_functions();
  const std::unique_lock lock(state().names);
  state().wanted.clear();
}

}  // namespace autokernel::inject
