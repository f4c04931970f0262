// A recursive-descent parser: a function for each rule of the grammar.
#include "parser.h"

#include <cmath>
#include <cstdlib>

namespace json {
namespace {

constexpr int kDeepest = 512;

// Thrown where the text stops being JSON.
struct Invalid {};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Value document() {
    Value value = any_value();
    skip_blanks();
    if (at_ != text_.size()) throw Invalid();
    return value;
  }

 private:
  // The next character, or 0 at the end: no rule allows a 0 where it asks for one.
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  char next() {
    if (at_ == text_.size()) throw Invalid();
    return text_[at_++];
  }

  void expect(char wanted) {
    if (next() != wanted) throw Invalid();
  }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
  }

  void word(const std::string& wanted) {
    for (const char letter : wanted) expect(letter);
  }

  Value any_value() {
    skip_blanks();
    switch (peek()) {
      case '{':
        return object();
      case '[':
        return array();
      case '"':
        return Value(string());
      case 't':
        word("true");
        return Value(true);
      case 'f':
        word("false");
        return Value(false);
      case 'n':
        word("null");
        return Value();
      default:
        return Value(number());
    }
  }

  Value object() {
    Value::Object members;
    enter('{');
    if (peek() != '}') {
      do {
        skip_blanks();
        const std::string name = string();
        skip_blanks();
        expect(':');
        const Value value = any_value();
        members[name] = value;
        skip_blanks();
      } while (comma());
    }
    leave('}');
    return Value(members);
  }

  Value array() {
    Value::Array items;
    enter('[');
    if (peek() != ']') {
      do {
        const Value value = any_value();
        items.push_back(value);
        skip_blanks();
      } while (comma());
    }
    leave(']');
    return Value(items);
  }

  void enter(char bracket) {
    expect(bracket);
    if (++depth_ > kDeepest) throw Invalid();
    skip_blanks();
  }

  void leave(char bracket) {
    expect(bracket);
    --depth_;
  }

  bool comma() {
    if (peek() != ',') return false;
    ++at_;
    return true;
  }

  double number() {
    std::string digits;
    if (peek() == '-') digits += next();
    if (peek() == '0') {
      digits += next();
    } else {
      some_digits(digits);
    }
    if (peek() == '.') {
      digits += next();
      some_digits(digits);
    }
    if (peek() == 'e' || peek() == 'E') {
      digits += next();
      if (peek() == '+' || peek() == '-') digits += next();
      some_digits(digits);
    }
    // std::stod would throw for the smallest numbers, which are allowed.
    const double value = std::strtod(digits.c_str(), nullptr);
    if (std::isinf(value)) throw Invalid();
    return value;
  }

  void some_digits(std::string& digits) {
    if (peek() < '0' || peek() > '9') throw Invalid();
    while (peek() >= '0' && peek() <= '9') digits += next();
  }

  std::string string() {
    std::string text;
    expect('"');
    for (;;) {
      const char letter = next();
      if (letter == '"') return text;
      if (letter == '\\') {
        escape(text);
      } else if (static_cast<unsigned char>(letter) < 0x20) {
        throw Invalid();
      } else if (static_cast<unsigned char>(letter) < 0x80) {
        text += letter;
      } else {
        --at_;
        utf8(text);
      }
    }
  }

  void escape(std::string& text) {
    switch (next()) {
      case '"':
        text += '"';
        break;
      case '\\':
        text += '\\';
        break;
      case '/':
        text += '/';
        break;
      case 'b':
        text += '\b';
        break;
      case 'f':
        text += '\f';
        break;
      case 'n':
        text += '\n';
        break;
      case 'r':
        text += '\r';
        break;
      case 't':
        text += '\t';
        break;
      case 'u':
        append_utf8(text, escaped_code());
        break;
      default:
        throw Invalid();
    }
  }

  unsigned escaped_code() {
    const unsigned first = four_digits();
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first > 0xDBFF) throw Invalid();
    expect('\\');
    expect('u');
    const unsigned second = four_digits();
    if (second < 0xDC00 || second > 0xDFFF) throw Invalid();
    return 0x10000 + ((first - 0xD800) << 10U) + (second - 0xDC00);
  }

  unsigned four_digits() {
    unsigned code = 0;
    for (int i = 0; i < 4; ++i) {
      const char digit = next();
      code <<= 4U;
      if (digit >= '0' && digit <= '9') {
        code += static_cast<unsigned>(digit - '0');
      } else if (digit >= 'a' && digit <= 'f') {
        code += static_cast<unsigned>(digit - 'a' + 10);
      } else if (digit >= 'A' && digit <= 'F') {
        code += static_cast<unsigned>(digit - 'A' + 10);
      } else {
        throw Invalid();
      }
    }
    return code;
  }

  static void append_utf8(std::string& text, unsigned code) {
    const auto rest = [&](unsigned shift) {
      text += static_cast<char>(0x80U | (code >> shift & 0x3FU));
    };
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += static_cast<char>(0xC0U | code >> 6U);
      rest(0);
    } else if (code < 0x10000) {
      text += static_cast<char>(0xE0U | code >> 12U);
      rest(6);
      rest(0);
    } else {
      text += static_cast<char>(0xF0U | code >> 18U);
      rest(12);
      rest(6);
      rest(0);
    }
  }

  // One character of two to four bytes, checked and copied.
  void utf8(std::string& text) {
    const std::size_t start = at_;
    const auto first = static_cast<unsigned char>(next());
    int more = 0;
    unsigned code = 0;
    unsigned least = 0;
    if (first >= 0xC0 && first < 0xE0) {
      more = 1;
      code = first & 0x1FU;
      least = 0x80;
    } else if (first >= 0xE0 && first < 0xF0) {
      more = 2;
      code = first & 0x0FU;
      least = 0x800;
    } else if (first >= 0xF0 && first < 0xF8) {
      more = 3;
      code = first & 0x07U;
      least = 0x10000;
    } else {
      throw Invalid();
    }
    for (; more > 0; --more) {
      const auto byte = static_cast<unsigned char>(next());
      if ((byte & 0xC0U) != 0x80) throw Invalid();
      code = code << 6U | (byte & 0x3FU);
    }
    if (code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) throw Invalid();
    text += std::string(text_.substr(start, at_ - start));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<Value> parse(std::string_view text) {
  try {
    return Parser(text).document();
  } catch (const Invalid&) {
    return std::nullopt;
  }
}

}  // namespace json
