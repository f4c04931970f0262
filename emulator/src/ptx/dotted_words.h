// Dotted words and special register names that the tree has enumerators for: types, state spaces,
// %tid and its kind.
#pragma once

#include <optional>
#include <string_view>

#include "ptx/ast.h"

namespace emulator::ptx {

// All take the word without its leading dot and give nothing where it is no such word.
[[nodiscard]] std::optional<Type> type_of(std::string_view word);

struct SpaceWord {
  Space space;
  bool cluster;      // shared::cluster
  bool cta = false;  // shared::cta
};
[[nodiscard]] std::optional<SpaceWord> space_of(std::string_view word);

// v2, v4, v8
[[nodiscard]] std::optional<std::uint8_t> vector_width_of(std::string_view word);

struct SpecialName {
  Special which;
  bool is_vector;       // a dimension .x, .y or .z follows
  std::uint8_t number;  // of a numbered one such as %envreg2
};
// The name with its %.
[[nodiscard]] std::optional<SpecialName> special_of(std::string_view name);

}  // namespace emulator::ptx
