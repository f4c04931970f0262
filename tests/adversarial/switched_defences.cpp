#include "adversarial/switched_defences.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "autokernel/base/defences.h"

namespace autokernel {
namespace {

constexpr std::array kNames = {
    std::pair{Defence::fresh_keys, "fresh_keys"},
    std::pair{Defence::refilled_memory, "refilled_memory"},
    std::pair{Defence::random_fill, "random_fill"},
    std::pair{Defence::restored_module, "restored_module"},
    std::pair{Defence::timed_restoring, "timed_restoring"},
    std::pair{Defence::compared_timed_launches, "compared_timed_launches"},
    std::pair{Defence::every_element, "every_element"},
    std::pair{Defence::exact_inputs, "exact_inputs"},
    std::pair{Defence::case_inputs, "case_inputs"},
    std::pair{Defence::stress_inputs, "stress_inputs"},
    std::pair{Defence::misrounding, "misrounding"},
    std::pair{Defence::lesser_gain, "lesser_gain"},
    std::pair{Defence::slow_minority, "slow_minority"},
    std::pair{Defence::unchanged_inputs, "unchanged_inputs"},
    std::pair{Defence::repeats, "repeats"},
    std::pair{Defence::both_warp_orders, "both_warp_orders"},
    std::pair{Defence::deadlines, "deadlines"},
    std::pair{Defence::confined_compiler, "confined_compiler"},
    std::pair{Defence::sandbox, "sandbox"},
    std::pair{Defence::fixed_environment, "fixed_environment"},
    std::pair{Defence::parameter_layout, "parameter_layout"},
};

}  // namespace

#ifdef AUTOKERNEL_DEFENCES_CAN_BE_SWITCHED_OFF
bool stands(Defence defence) {
  const char* off = std::getenv(test::kSwitch);  // NOLINT(concurrency-mt-unsafe): nobody sets it
  if (off == nullptr) return true;
  const std::string listed = "," + std::string(off) + ",";
  const auto* const name =
      std::ranges::find(kNames, defence, [](const auto& p) { return p.first; });
  return listed.find("," + std::string(name->second) + ",") == std::string::npos;
}
#endif

std::vector<std::string> test::names_of_defences() {
  std::vector<std::string> names;
  names.reserve(kNames.size());
  for (const auto& [defence, name] : kNames) names.emplace_back(name);
  return names;
}

}  // namespace autokernel
