#include "programs/verify/guilty.h"

namespace autokernel::programs {

std::optional<std::size_t> guilty_one(
    std::vector<std::size_t> suspects,
    const std::function<bool(const std::vector<std::size_t>&)>& goes_wrong) {
  bool is_certain = false;  // whether it went wrong with just these
  while (suspects.size() > 1) {
    const auto middle = suspects.begin() + static_cast<std::ptrdiff_t>(suspects.size() / 2);
    const std::vector<std::size_t> half(suspects.begin(), middle);
    is_certain = goes_wrong(half);
    if (is_certain) {
      suspects = half;
    } else {
      suspects.erase(suspects.begin(), middle);
    }
  }
  if (suspects.empty()) return std::nullopt;
  if (!is_certain && !goes_wrong(suspects)) return std::nullopt;
  return suspects.front();
}

}  // namespace autokernel::programs
