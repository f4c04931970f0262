// Which of a device's units a kernel computes with, as far as its PTX tells. The PTX is the
// candidate's: what is found here names a peak to compare with, and decides nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "autokernel/driver/units.h"

namespace autokernel::trial {

// Whether integers are what a kernel computes, or only its indices, of which every kernel has some.
enum class Integers : std::uint8_t { are_computed, are_indices };

// The tensor cores with the narrowest inputs of those it uses: the fastest. Without tensor cores
// the floating type that most of its additions and multiplications are in; a multiply-add is two.
// Without those dp4a or int32. Empty where it has none of them, and without PTX.
[[nodiscard]] std::optional<driver::Unit> unit_in_ptx(std::string_view ptx, Integers integers);

}  // namespace autokernel::trial
