// Tokens with two of them in sight: what every part of the parser reads from.
#pragma once

#include <string>
#include <string_view>

#include "ptx/lexer.h"

namespace emulator::ptx {

class TokenStream {
 public:
  explicit TokenStream(std::string_view text);

  [[nodiscard]] const Token& peek() const { return first_; }
  [[nodiscard]] const Token& peek_second() const { return second_; }
  Token take();

  // Whether the next token is this punctuation, or this dotted word.
  [[nodiscard]] bool at(std::string_view punctuation) const;
  [[nodiscard]] bool at_dotted(std::string_view word) const;

  // Takes the next token if it is that.
  bool take_if(std::string_view punctuation);
  bool take_if_dotted(std::string_view word);

  // Takes the next token, which must be that; Error naming what stands there instead otherwise.
  // `what` completes "expected ..".
  Token expect(std::string_view punctuation);
  Token expect(TokenKind kind, std::string_view what);
  Token expect_identifier(std::string_view what) { return expect(TokenKind::identifier, what); }

  // Takes tokens up to and including the one that closes the bracket taken last.
  void skip_to_close(std::string_view open, std::string_view close, Location opened);

  // "expected <what> but found <the next token>", at the next token.
  [[noreturn]] void fail_expecting(std::string_view what) const;

  // The text between two offsets, white space and comments folded into single spaces.
  [[nodiscard]] std::string folded(std::size_t begin, std::size_t end) const;

 private:
  std::string_view text_;
  Lexer lexer_;
  Token first_;
  Token second_;
};

// A token as a message quotes it: 'x', or "the end of the text"; long ones are cut.
[[nodiscard]] std::string in_quotes(const Token& token);
// A name as a message quotes it; long ones are cut, since a stranger's text may hold a name of
// megabytes.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace emulator::ptx
