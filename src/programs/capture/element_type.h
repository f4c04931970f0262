// Which type the elements of captured memory have: said by the kernel's name, or guessed from what
// lies there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/cases/case.h"
#include "programs/capture/ptx_hints.h"

namespace autokernel::programs {

// Of each parameter in a demangled name, what it points to or is: "float", "c10::BFloat16", "long".
// Empty for a name that does not tell.
[[nodiscard]] std::vector<std::string> parameter_types(std::string_view demangled);

// Of a C++ type; none for one that is not known.
[[nodiscard]] std::optional<cases::DType> dtype_of(std::string_view cpp_type);

// Which 16-bit floating type a kernel works with, if that is known.
enum class HalfType : std::uint8_t { unknown, f16, bf16 };
// As the types in a demangled name tell, or else its PTX.
[[nodiscard]] HalfType half_type(std::string_view demangled, const PtxHints& hints);

// The type whose values these bytes are most likely; u8 where none fits. `name` is the kernel's.
[[nodiscard]] cases::DType guessed_dtype(std::span<const std::byte> bytes, std::string_view name,
                                         HalfType half);

}  // namespace autokernel::programs
