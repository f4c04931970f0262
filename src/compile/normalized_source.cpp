#include "autokernel/compile/normalized_source.h"

#include "autokernel/compile/source_text.h"

namespace autokernel::compile {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

[[nodiscard]] bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

// Nothing that stands beside one of these can become something else by touching it.
[[nodiscard]] bool separates(char c) {
  return std::string_view("()[]{};,").find(c) != std::string_view::npos;
}

[[nodiscard]] bool needs_blank(char before, char after) {
  if (separates(before) || separates(after)) return false;
  return is_word_character(before) == is_word_character(after);
}

}  // namespace

std::string normalized(std::string_view source) {
  std::string text;
  bool in_directive = false;
  bool blank = false;
  const auto add = [&](std::string_view piece) {
    const bool begins_line = text.empty() || text.back() == '\n';
    if (!in_directive && piece.front() == '#') {
      // A directive begins on a line of its own.
      if (!begins_line) text += '\n';
      in_directive = true;
    } else if (blank && !begins_line) {
      // "#define F (x)" takes no arguments, "#define F(x)" does.
      const bool is_argument_list = in_directive && piece.front() == '(';
      if (is_argument_list || needs_blank(text.back(), piece.front())) text += ' ';
    }
    text += piece;
    blank = false;
  };
  for (std::size_t at = 0; at < source.size();) {
    const std::string_view rest = source.substr(at);
    if (rest.starts_with("\\\n") || rest.starts_with("\\\r\n")) {
      blank = true;
      at += rest[1] == '\n' ? 2 : 3;
    } else if (is_blank(rest.front())) {
      if (rest.front() == '\n' && in_directive) {
        text += '\n';
        in_directive = false;
      }
      blank = true;
      ++at;
    } else if (const std::size_t end = end_of_unread(source, at); end != at) {
      if (rest.front() == '/') {
        blank = true;
      } else {
        add(source.substr(at, end - at));
      }
      at = end;
    } else {
      add(rest.substr(0, 1));
      ++at;
    }
  }
  if (in_directive) text += '\n';
  return text;
}

std::size_t count_tokens(std::string_view source) {
  const std::string text = normalized(source);
  std::size_t tokens = 0;
  for (std::size_t at = 0; at < text.size(); ++tokens) {
    const std::size_t begin = at;
    at = end_of_unread(text, at);
    if (at == begin && is_word_character(text[at])) {
      while (at < text.size() && is_word_character(text[at])) ++at;
    } else if (at == begin) {
      ++at;
    }
    while (at < text.size() && is_blank(text[at])) ++at;
  }
  return tokens;
}

}  // namespace autokernel::compile
