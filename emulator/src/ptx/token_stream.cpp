#include "ptx/token_stream.h"

#include <utility>

namespace emulator::ptx {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  std::string quote = "'";
  quote += text.substr(0, kLongest);
  if (text.size() > kLongest) quote += "...";
  quote += "'";
  return quote;
}

std::string in_quotes(const Token& token) {
  switch (token.kind) {
    case TokenKind::end:
      return "the end of the text";
    case TokenKind::string:
      return "a string";
    case TokenKind::dotted:
      return in_quotes("." + std::string(token.text.substr(0, 300)));
    default:
      return in_quotes(token.text);
  }
}

TokenStream::TokenStream(std::string_view text)
    : text_(text), lexer_(text), first_(lexer_.next()), second_(lexer_.next()) {}

Token TokenStream::take() { return std::exchange(first_, std::exchange(second_, lexer_.next())); }

bool TokenStream::at(std::string_view punctuation) const {
  return first_.kind == TokenKind::punctuation && first_.text == punctuation;
}

bool TokenStream::at_dotted(std::string_view word) const {
  return first_.kind == TokenKind::dotted && first_.text == word;
}

bool TokenStream::take_if(std::string_view punctuation) {
  if (!at(punctuation)) return false;
  take();
  return true;
}

bool TokenStream::take_if_dotted(std::string_view word) {
  if (!at_dotted(word)) return false;
  take();
  return true;
}

Token TokenStream::expect(std::string_view punctuation) {
  if (!at(punctuation)) fail_expecting(in_quotes(punctuation));
  return take();
}

Token TokenStream::expect(TokenKind kind, std::string_view what) {
  if (first_.kind != kind) fail_expecting(what);
  return take();
}

void TokenStream::skip_to_close(std::string_view open, std::string_view close, Location opened) {
  // Counted, not recursed: the depth is the text's choice.
  std::size_t depth = 1;
  while (depth > 0) {
    if (first_.kind == TokenKind::end) throw Error(opened, in_quotes(open) + " is not closed");
    if (at(open)) ++depth;
    if (at(close)) --depth;
    take();
  }
}

void TokenStream::fail_expecting(std::string_view what) const {
  throw Error(first_.where, "expected " + std::string(what) + " but found " + in_quotes(first_));
}

std::string TokenStream::folded(std::size_t begin, std::size_t end) const {
  std::string result;
  result.reserve(end - begin);
  bool space = false;
  for (std::size_t i = begin; i < end; ++i) {
    const char c = text_[i];
    const std::string_view two = text_.substr(i, 2);
    if (two == "//" || two == "/*") {
      // Comments inside a statement are closed, or the lexer would have stopped.
      const bool line = two == "//";
      i = text_.find(line ? "\n" : "*/", i + 2) + (line ? 0 : 1);
      space = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      space = true;
    } else {
      if (space && !result.empty()) result += ' ';
      space = false;
      result += c;
    }
  }
  return result;
}

}  // namespace emulator::ptx
