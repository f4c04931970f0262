#include "ptx/lexer.h"

#include <array>
#include <string>

namespace emulator::ptx {
namespace {

// Not <cctype>: those look at the process's locale and are undefined for negative characters.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_digit(c) || is_letter(c) || c == '_'; }
bool is_follow(char c) { return is_word(c) || c == '$'; }

constexpr std::array<std::string_view, 8> kDoubles = {
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
constexpr std::string_view kSingles = "{}()[]<>,;:=+-*/%&|^~!?@";

std::string printable(char c) {
  if (c > ' ' && c < '\x7f') return std::string("'") + c + "'";
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("'\\x") + kHex[byte >> 4U] + kHex[byte & 15U] + "'";
}

}  // namespace

Location Lexer::here() const {
  return {line_, static_cast<std::uint32_t>(position_ - line_start_ + 1)};
}

Token Lexer::take(TokenKind kind, std::size_t end, std::size_t skip_front) {
  const std::size_t begin = position_;
  const Token token{kind, text_.substr(begin + skip_front, end - begin - skip_front), here(), begin,
                    end};
  position_ = end;
  return token;
}

void Lexer::skip_block_comment() {
  const Location start = here();
  position_ += 2;
  while (at(position_) != '*' || at(position_ + 1) != '/') {
    if (position_ >= text_.size()) throw Error(start, "a comment is not closed");
    if (text_[position_] == '\n') {
      ++line_;
      line_start_ = position_ + 1;
    }
    ++position_;
  }
  position_ += 2;
}

void Lexer::skip_space_and_comments() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') {
      ++line_;
      line_start_ = ++position_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++position_;
    } else if (c == '/' && at(position_ + 1) == '/') {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (c == '/' && at(position_ + 1) == '*') {
      skip_block_comment();
    } else {
      return;
    }
  }
}

std::size_t Lexer::end_of_dotted() const {
  std::size_t end = position_ + 1;
  while (is_word(at(end))) ++end;
  while (at(end) == ':' && at(end + 1) == ':' && is_word(at(end + 2))) {
    end += 3;
    while (is_word(at(end))) ++end;
  }
  return end;
}

// Takes whatever could belong to a number, so that a malformed one is reported whole.
std::size_t Lexer::end_of_number() const {
  std::size_t end = position_;
  while (is_digit(at(end))) ++end;
  if (at(end) == '.' && !is_letter(at(end + 1)) && at(end + 1) != '_') {
    ++end;
    while (is_digit(at(end))) ++end;
  }
  const bool exponent = at(end) == 'e' || at(end) == 'E';
  if (exponent && (at(end + 1) == '+' || at(end + 1) == '-') && is_digit(at(end + 2))) end += 2;
  while (is_follow(at(end))) ++end;
  return end;
}

Token Lexer::string_token() {
  const std::size_t close = text_.find_first_of("\"\n", position_ + 1);
  if (close == std::string_view::npos || text_[close] == '\n') {
    throw Error(here(), "a string is not closed");
  }
  Token token = take(TokenKind::string, close + 1, 1);
  token.text.remove_suffix(1);
  return token;
}

Token Lexer::next() {
  skip_space_and_comments();
  if (position_ >= text_.size()) return take(TokenKind::end, text_.size());
  const char c = text_[position_];
  // `.5` is a number, the `.1d` of tex.1d is a word of it.
  const bool is_fraction = c == '.' && is_digit(at(position_ + 1)) &&
                           (position_ == 0 || !is_follow(text_[position_ - 1]));
  if (is_digit(c) || is_fraction) return take(TokenKind::number, end_of_number());
  if (is_letter(c) || c == '_' || ((c == '%' || c == '$') && is_follow(at(position_ + 1)))) {
    std::size_t end = position_ + 1;
    while (is_follow(at(end))) ++end;
    return take(TokenKind::identifier, end);
  }
  if (c == '.' && is_word(at(position_ + 1))) return take(TokenKind::dotted, end_of_dotted(), 1);
  if (c == '"') return string_token();
  const std::string_view two = text_.substr(position_, 2);
  for (const std::string_view candidate : kDoubles) {
    if (two == candidate) return take(TokenKind::punctuation, position_ + 2);
  }
  if (kSingles.find(c) != std::string_view::npos) {
    return take(TokenKind::punctuation, position_ + 1);
  }
  throw Error(here(), "unexpected character " + printable(c));
}

}  // namespace emulator::ptx
