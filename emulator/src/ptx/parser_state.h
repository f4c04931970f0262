// What the parts of the parser share while one module is read: the tokens, the module so far, the
// names in sight, and what the text may still make us store.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ast.h"
#include "ptx/names.h"
#include "ptx/token_stream.h"

namespace emulator::ptx {

// A few bytes of text can ask for any amount of memory (`.reg .b32 %r<4000000000>`), and the text
// may come from anybody. These bounds lie far above what a compiler emits.
struct Allowance {
  std::uint64_t registers = 2'000'000;       // in all functions together
  std::uint64_t initial_bytes = 64U << 20U;  // of all initialised variables together
  std::uint64_t branch_targets = 1'000'000;  // in all brx.idx together

  // Takes `amount` from what is left of one of the above, or throws Error naming `what` there is
  // too much of.
  static void spend(std::uint64_t& left, std::uint64_t amount, Location where,
                    std::string_view what) {
    if (amount > left) throw Error(where, "the module has too many " + std::string(what));
    left -= amount;
  }
};

struct Reading {
  // The text outlives the reading.
  explicit Reading(std::string_view text) : tokens(text) {}

  TokenStream tokens;
  Module module;
  Names names;
  Allowance allowance;
  // Symbols that initialisers name, which may be declared further down: looked for when the module
  // has been read.
  std::vector<Token> mentioned;
};

}  // namespace emulator::ptx
