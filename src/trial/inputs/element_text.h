// How one element of a tensor is named and shown in a message.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "trial/inputs/sized_case.h"

namespace autokernel::trial {

[[nodiscard]] std::string element_name(const SizedTensor& tensor,
                                       std::uint64_t element);  // "C[3,17]"
[[nodiscard]] double value_at(cases::DType dtype, std::span<const std::byte> bytes,
                              std::uint64_t element);
// As few digits as tell the value from its neighbours: "12.25".
[[nodiscard]] std::string value_text(cases::DType dtype, std::span<const std::byte> bytes,
                                     std::uint64_t element);

}  // namespace autokernel::trial
