#include "autokernel/cases/case.h"

#include <algorithm>

#include "autokernel/base/error.h"
#include "autokernel/cases/captured_values.h"

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

Case at_size(const Case& problem, const std::string& size) {
  Case typed = problem;
  const auto types = problem.types.find(size);
  if (types == problem.types.end()) return typed;
  for (Tensor& tensor : typed.tensors) {
    if (!tensor.type_symbol.empty()) tensor.dtype = types->second.at(tensor.type_symbol);
    const auto tolerance = problem.tolerances.find(tensor.dtype);
    if (tensor.role != Role::in && tolerance != problem.tolerances.end())
      typed.tolerance = tolerance->second;
  }
  return typed;
}

const char* spelling(CapturedUse use) {
  switch (use) {
    case CapturedUse::drawn:
      return "drawn";
    case CapturedUse::kept:
      return "kept";
    case CapturedUse::perturbed:
      return "perturbed";
  }
  return "?";
}

int mantissa_bits(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 52;
    case DType::f32:
      return 23;
    case DType::f16:
      return 10;
    case DType::bf16:
      return 7;
    case DType::e4m3:
      return 3;
    case DType::e5m2:
      return 2;
    default:
      return 0;
  }
}

std::vector<std::string> size_names(const Case& problem) {
  std::vector<std::string> names;
  names.reserve(problem.sizes.size());
  for (const auto& [name, symbols] : problem.sizes) names.push_back(name);
  return names;
}

}  // namespace autokernel::cases
