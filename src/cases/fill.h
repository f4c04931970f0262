// How the values of a tensor or a scalar are drawn, as case.toml says it.
#pragma once

#include <map>
#include <string>

#include "autokernel/cases/case.h"
#include "autokernel/cases/section.h"

namespace autokernel::cases {

// Whether rows hold indices, of which each depends on the others.
[[nodiscard]] bool is_of_indices(Distribution distribution);
// Of a [[tensor]], whose role and type are known: the keys fill, low and high.
[[nodiscard]] Fill read_fill(Section& section, const Tensor& tensor,
                             const std::map<std::string, Sizes>& sizes);
// Of a [[scalar]]: value, or low and high. Always the same value is a range of one.
[[nodiscard]] Fill read_range(Section& section, DType dtype,
                              const std::map<std::string, Sizes>& sizes);
// Throws Error(usage) where the tensor's last dimension does not go with a fill of indices.
void require_indices(const Section& section, const Tensor& tensor,
                     const std::map<std::string, Sizes>& sizes);

}  // namespace autokernel::cases
