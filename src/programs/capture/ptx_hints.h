// What the PTX of a captured kernel tells of the types that it works on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace autokernel::programs {

struct PtxHints {
  // Of its parameters, in order: "u64", "f32"; "b8" for a struct. Empty: there is no PTX, or no
  // such kernel in it.
  std::vector<std::string> parameters;
  // Whether all that it loads from memory, or stores, is of one floating type, "f32" or "f64".
  std::string only_loads;
  std::string only_stores;
  // It calculates with one of the two 16-bit types, and not with the other.
  bool has_f16 = false;
  bool has_bf16 = false;
  // It adds floating numbers atomically: their sum depends on their order.
  bool adds_floats_atomically = false;
};

[[nodiscard]] PtxHints ptx_hints(std::string_view ptx, std::string_view kernel);

}  // namespace autokernel::programs
