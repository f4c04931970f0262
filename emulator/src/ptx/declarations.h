// Declarations of variables and parameters: alignment, type, name, array sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/parser_state.h"

namespace emulator::ptx {

// A variable as declared, and what the tree has no place for: the extents, for its initial values.
struct Declared {
  Variable variable;
  Token name;
  std::vector<std::uint64_t>
      extents;  // array sizes as written, 0 for [], and the vector width if there is one
  bool in_register = false;  // a parameter declared .reg
  // Of such a one: how many components it has, for each of which `variable` stands once, and
  // whether it is a predicate, for which `variable` is a word.
  std::uint8_t components = 1;
  bool is_predicate = false;
};

// What stands before the names of a declaration and goes for all of them.
struct DeclarationHead {
  Type type = Type::none;
  std::uint32_t alignment = 0;  // 0: none written
  std::uint8_t vector_width = 1;
};

// Behind the state space: .align, .attribute, .ptr and its words, .v2/.v4/.v8 and the type, in any
// order.
[[nodiscard]] DeclarationHead read_head(Reading& reading);

// A name and its array sizes. The size is 0 where the first extent is left open.
[[nodiscard]] Declared read_declared(Reading& reading, const DeclarationHead& head, Space space);

// A whole parameter, from `.param` or `.reg` on.
[[nodiscard]] Declared read_parameter(Reading& reading);

// Gives the variable its name in the innermost scope. Throws Error where the scope has that name
// already.
void name_symbol(Reading& reading, const Declared& declared, Symbol symbol);

}  // namespace emulator::ptx
