// PTX text cut into tokens, one at a time, each with its place. Knows what a word looks like, not
// what it means.
#pragma once

#include <cstddef>
#include <string_view>

#include "ptx/ast.h"

namespace emulator::ptx {

enum class TokenKind : std::uint8_t {
  end,         // of the text
  identifier,  // mov, %r1, $L__BB0_2, _
  dotted,      // .reg, .f32, .L2::128B; the text is without the leading dot
  number,      // as written: 0x1F, 0f3F800000, 1.5e-3, 7U
  string,      // the text is without the quotes
  punctuation  // one or two characters
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  Location where;
  std::size_t begin = 0;  // byte offsets into the text, quotes and leading dot included
  std::size_t end = 0;
};

class Lexer {
 public:
  // The text outlives the lexer and every token.
  explicit Lexer(std::string_view text) : text_(text) {}

  // The next token; at the end of the text, `end` for ever. Throws Error at a character that begins
  // no token.
  [[nodiscard]] Token next();

 private:
  [[nodiscard]] char at(std::size_t offset) const {
    return offset < text_.size() ? text_[offset] : '\0';
  }
  [[nodiscard]] Location here() const;
  void skip_space_and_comments();
  void skip_block_comment();
  [[nodiscard]] std::size_t end_of_dotted() const;
  [[nodiscard]] std::size_t end_of_number() const;
  [[nodiscard]] Token string_token();
  [[nodiscard]] Token take(TokenKind kind, std::size_t end, std::size_t skip_front = 0);

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace emulator::ptx
