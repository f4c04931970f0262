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

}  // namespace autokernel::cases
