#include "driver/replacing.h"

#include <cstdio>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "driver/checked_launch.h"
#include "driver/matching.h"
#include "driver/own_kernel.h"
#include "driver/real_driver.h"
#include "driver/replacement.h"
#include "driver/tally.h"

namespace autokernel::inject {
namespace {

// What is known of a function by its handle.
struct Known {
  std::vector<std::size_t> same_code;  // replacements of the kernel, by number
  std::vector<std::size_t> same_name;  // and those of its name alone
  std::vector<LaunchedFunction::Parameter> parameters;

  [[nodiscard]] bool is_any() const { return !same_code.empty() || !same_name.empty(); }
};

struct Replacing {
  // A check has the device to itself; other launches share it.
  std::shared_mutex device;
  std::shared_mutex functions;
  std::unordered_map<CUfunction, std::shared_ptr<const Known>> known;
};
Replacing& state() {
  static auto* const kept = new Replacing;
  return *kept;
}

// Held for each launch where others may be checked; nothing where none is.
[[nodiscard]] std::shared_lock<std::shared_mutex> shared_device() {
  return replacements().checks ? std::shared_lock(state().device)
                               : std::shared_lock<std::shared_mutex>();
}

[[nodiscard]] Known look_up(CUfunction handle) {
  Known known;
  const LaunchedFunction function(handle);
  const std::vector<Replacement>& all = replacements().all;
  std::string digest;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].kernel.empty() || all[i].kernel != function.name()) continue;
    if (digest.empty()) digest = digest_of(function.code());
    (all[i].image == digest ? known.same_code : known.same_name).push_back(i);
  }
  if (!known.same_code.empty() && !function.list_parameters(known.parameters)) {
    known.same_name.insert(known.same_name.end(), known.same_code.begin(), known.same_code.end());
    known.same_code.clear();
  }
  return known;
}

// Null for most functions: those of no kernel that is to be replaced.
[[nodiscard]] std::shared_ptr<const Known> known_of(CUfunction function) {
  Replacing& replacing = state();
  {
    const std::shared_lock lock(replacing.functions);
    const auto found = replacing.known.find(function);
    if (found != replacing.known.end()) return found->second;
  }
  Known found = look_up(function);
  auto known = found.is_any() ? std::make_shared<const Known>(std::move(found)) : nullptr;
  const std::unique_lock lock(replacing.functions);
  replacing.known[function] = known;
  return known;
}

// What a launch of ours, or of the original's in its place, has the driver do is no launch of the
// program's.
thread_local bool is_inside = false;
class Inside {
 public:
  Inside() { is_inside = true; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { is_inside = false; }
};

struct Match {
  std::size_t replacement = 0;
  std::variant<GivenOperands, Outcome> result;
};

// Several cases may be of one kernel. Where none matches, it is counted for the one that it fits
// best: the checks are made in the order of the outcomes.
[[nodiscard]] Match best_match(const LaunchView& launch, const Known& known) {
  std::size_t best = known.same_code.empty() ? known.same_name.front() : known.same_code.front();
  Outcome furthest = Outcome::other_code;
  for (const std::size_t number : known.same_code) {
    auto result = matched(replacements().all[number], launch, known.parameters);
    const auto* outcome = std::get_if<Outcome>(&result);
    if (outcome == nullptr) return {number, std::move(result)};
    if (*outcome <= furthest) continue;
    furthest = *outcome;
    best = number;
  }
  return {best, furthest};
}

// The device is locked for others, or shared, as it must be.
[[nodiscard]] CUresult launch_own_or_original(std::size_t number, const GivenOperands& operands,
                                              CUstream stream, bool recorded,
                                              const std::function<CUresult()>& original) {
  const auto own = [&] { return launch_own(number, operands, stream, recorded); };
  const CUresult result = recorded && replacements().checks
                              ? record_checked(number, operands, stream, own, original)
                              : own();
  if (result == CUDA_SUCCESS) {
    count(number, recorded ? Outcome::replaced_in_graph : Outcome::replaced);
    return result;
  }
  count(number, Outcome::refused);
  std::uint64_t none = 0;
  tally(number).error.compare_exchange_strong(none, static_cast<std::uint64_t>(result));
  return original();
}

}  // namespace

bool is_replacing() {
  static const bool replacing = !replacements().all.empty();
  return replacing;
}

CUresult replace(std::size_t number, const GivenOperands& operands, CUstream stream,
                 const std::function<CUresult()>& original) {
  const Inside inside;
  const bool recorded = is_being_recorded(stream);
  if (recorded && !replacements().in_graphs) {
    count(number, Outcome::in_graph);
    return original();
  }
  if (replacements().checks && !recorded && is_to_be_checked(number)) {
    const std::unique_lock lock(state().device);
    // Counted before anything can go wrong: the program may wait for ever.
    count(number, Outcome::replaced);
    const auto own = [&] { return launch_own(number, operands, stream, false); };
    const CUresult result = launch_checked(number, operands, stream, own, original);
    if (result != CUDA_SUCCESS) tally(number).error = static_cast<std::uint64_t>(result);
    return result;
  }
  const std::shared_lock lock = shared_device();
  return launch_own_or_original(number, operands, stream, recorded, original);
}

CUresult launch_or_replace(const LaunchView& launch, const std::function<CUresult()>& forward) {
  if (is_inside) return forward();
  if (const auto known = known_of(launch.function)) {
    Match match = best_match(launch, *known);
    if (const auto* operands = std::get_if<GivenOperands>(&match.result)) {
      return replace(match.replacement, *operands, launch.stream, forward);
    }
    count(match.replacement, std::get<Outcome>(match.result));
  }
  const std::shared_lock lock = shared_device();
  return forward();
}

void graph_launched(CUstream stream) {
  if (replacements().checks) compare_recorded(stream);
}

void note_node_of_graph(CUfunction function) {
  if (const auto known = known_of(function)) {
    count(known->same_code.empty() ? known->same_name.front() : known->same_code.front(),
          Outcome::graph_node);
  }
}

void forget_replaced_functions() {
  const std::unique_lock lock(state().functions);
  state().known.clear();
}

bool may_touch_node(CUgraphNode node) {
  CUDA_KERNEL_NODE_PARAMS_v2 parameters{};
  if (!is_replacing() ||
      AUTOKERNEL_REAL(cuGraphKernelNodeGetParams_v2)(node, &parameters) != CUDA_SUCCESS ||
      !is_own(parameters.func)) {
    return true;
  }
  if (process_tally().node_changes.fetch_add(1, std::memory_order_relaxed) == 0) {
    std::fputs(
        "autokernel: the program reads or changes a kernel within a CUDA graph that is replaced "
        "there, which it cannot: run it with --no-graphs\n",
        stderr);
  }
  return false;
}

}  // namespace autokernel::inject
