#include "autokernel/cases/case.h"

#include <algorithm>

#include "autokernel/base/error.h"

namespace autokernel::cases {

const Tensor& Case::tensor(const std::string& wanted) const {
  const auto found =
      std::ranges::find_if(tensors, [&](const Tensor& tensor) { return tensor.name == wanted; });
  if (found == tensors.end()) {
    throw Error(Stop::internal, "case " + name + " was requested to give tensor " + wanted +
                                    ", which it does not have; please report this");
  }
  return *found;
}

const char* spelling(Role role) {
  switch (role) {
    case Role::in:
      return "in";
    case Role::out:
      return "out";
    case Role::inout:
      return "inout";
  }
  return "?";
}

std::vector<std::string> size_names(const Case& problem) {
  std::vector<std::string> names;
  names.reserve(problem.sizes.size());
  for (const auto& [name, symbols] : problem.sizes) names.push_back(name);
  return names;
}

}  // namespace autokernel::cases
