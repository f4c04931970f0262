// What a name means at each place of a module: scopes open and close, inner names hide outer ones.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "ptx/ast.h"

namespace emulator::ptx {

// `.reg .v4 .f32 x`: x.x to x.w are `width` registers from `first` on.
struct VectorRegister {
  std::uint32_t first;
  std::uint8_t width;
};

// A variable or function; `element` is what an index in sym[index] counts: the bytes of the scalar
// type, for vectors and arrays of arrays too.
struct NamedSymbol {
  Symbol symbol;
  std::uint32_t element;
};

struct LabelName {};

using Meaning = std::variant<Register, VectorRegister, NamedSymbol, LabelName>;

class Names {
 public:
  void open_scope() { scopes_.push_back(bindings_.size()); }
  void close_scope();

  // Gives the name a meaning until the innermost scope closes. The name's characters must live as
  // long. False: the scope has that name already.
  [[nodiscard]] bool add(std::string_view name, const Meaning& meaning);
  // The same for a name that nobody else keeps.
  [[nodiscard]] bool add_copy(std::string name, const Meaning& meaning);

  // Null where nothing of that name is visible. Good until the next change.
  [[nodiscard]] const Meaning* find(std::string_view name) const;

 private:
  struct Binding {
    std::string_view name;
    Meaning meaning;
    std::size_t scope;   // how many scopes were open
    std::size_t hidden;  // index of the binding it hides, kNone if none
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::vector<Binding> bindings_;    // of every open scope, outermost first
  std::vector<std::size_t> scopes_;  // for each, how many bindings there were before it
  std::unordered_map<std::string_view, std::size_t> visible_;
  std::deque<std::string> copies_;  // a deque, since growing must not move them
};

}  // namespace emulator::ptx
