// Constant expressions, as PTX allows them in initialisers, array sizes and immediate operands:
// 64-bit integers with C's operators, and floating numbers with + - * /.
#pragma once

#include <cstdint>

#include "ptx/token_stream.h"

namespace emulator::ptx {

struct Constant {
  enum class Kind : std::uint8_t { signed_integer, unsigned_integer, f32, f64 };
  std::uint64_t bits = 0;
  Kind kind = Kind::signed_integer;

  [[nodiscard]] bool is_integer() const {
    return kind == Kind::signed_integer || kind == Kind::unsigned_integer;
  }
};

// What a number token stands for. Throws Error where it is malformed or does not fit in 64 bits.
[[nodiscard]] Constant number_value(const Token& token);

// Whether a constant expression can begin at the next token.
[[nodiscard]] bool at_constant(const TokenStream& tokens);

// Reads one expression.
[[nodiscard]] Constant read_constant(TokenStream& tokens);

// The same where only an integer makes sense; `what` completes "expected .. but found a
// floating-point number".
[[nodiscard]] Constant read_integer(TokenStream& tokens, std::string_view what);

// A non-negative integer that fits in 32 bits, as directives have.
[[nodiscard]] std::uint32_t read_u32(TokenStream& tokens, std::string_view what);

}  // namespace emulator::ptx
