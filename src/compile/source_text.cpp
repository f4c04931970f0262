#include "autokernel/compile/source_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace autokernel::compile {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

namespace {

// Whether the line that ends at `end` goes on in the next one.
bool is_joined(std::string_view text, std::size_t end) {
  if (end > 0 && text[end - 1] == '\r') --end;
  return end > 0 && text[end - 1] == '\\';
}

// R"mark(...)mark", in which nothing is a comment; `at` where none begins there.
std::size_t end_of_raw_literal(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongestMark = 16;
  if (!text.substr(at).starts_with("R\"")) return at;
  // What stands before is a prefix of the literal (u8, L) or makes the R the end of a word.
  std::size_t begin = at;
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  const std::string_view prefix = text.substr(begin, at - begin);
  if (!prefix.empty() && prefix != "u8" && prefix != "u" && prefix != "U" && prefix != "L")
    return at;
  const std::size_t open = text.find('(', at + 2);
  if (open == std::string_view::npos || open - at - 2 > kLongestMark) return at;
  const std::string close = ")" + std::string(text.substr(at + 2, open - at - 2)) + "\"";
  const std::size_t end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

}  // namespace

std::size_t end_of_unread(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) {
    // A backslash at the end of a line joins the next one to it.
    std::size_t end = std::min(text.find('\n', at), text.size());
    while (end < text.size() && is_joined(text, end))
      end = std::min(text.find('\n', end + 1), text.size());
    return end;
  }
  if (rest.starts_with("/*")) {
    const std::size_t end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  if (const std::size_t end = end_of_raw_literal(text, at); end != at) return end;
  // An apostrophe within a number separates its digits.
  const bool separator = text[at] == '\'' && at > 0 && is_word_character(text[at - 1]);
  if ((text[at] != '"' && text[at] != '\'') || separator) return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != text[at] && text[end] != '\n') {
    end += text[end] == '\\' ? 2U : 1U;
  }
  return std::min(end + 1, text.size());
}

constexpr std::string_view kSourceBlanks = " \t\r\n";

std::size_t closing_bracket(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

std::string without_blanks_around(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSourceBlanks);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(kSourceBlanks) + 1 - begin));
}

namespace {

constexpr std::string_view kGlobal = "__global__";

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    if (begins && (end == text.size() || !is_word_character(text[end]))) return at;
  }
  return std::string_view::npos;
}

// The word that ends before `end`, blanks between them left out.
std::string_view word_before(std::string_view text, std::size_t end) {
  const std::size_t last = text.find_last_not_of(kSourceBlanks, end == 0 ? 0 : end - 1);
  if (last == std::string_view::npos) return {};
  std::size_t begin = last + 1;
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  return text.substr(begin, last + 1 - begin);
}

std::vector<std::string> parameters_in(std::string_view list) {
  std::vector<std::string> parameters;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    const char c = at < list.size() ? list[at] : ',';
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == '>' || c == ']' || c == '}') --depth;
    if (c != ',' || (depth != 0 && at < list.size())) continue;
    parameters.push_back(without_blanks_around(list.substr(begin, at - begin)));
    begin = at + 1;
  }
  if (parameters.size() == 1 && (parameters[0].empty() || parameters[0] == "void")) return {};
  return parameters;
}

std::uint32_t line_number_at(std::string_view text, std::size_t at) {
  const auto newlines = std::ranges::count(text.substr(0, at), '\n');
  return static_cast<std::uint32_t>(newlines) + 1;
}

}  // namespace

std::string without_comments(std::string_view source) {
  std::string text(source);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_unread(source, at);
    for (std::size_t i = at; i < end; ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
    at = std::max(end, at + 1);
  }
  return text;
}

namespace {

std::optional<KernelText> find_kernel_in(const std::string& file, std::string_view source,
                                         std::string_view name) {
  name = name.substr(0, name.find('<'));
  const std::size_t colons = name.rfind("::");
  if (colons != std::string_view::npos) name.remove_prefix(colons + 2);
  const std::string text = without_comments(source);
  const std::string_view view(text);
  for (std::size_t global = find_word(view, kGlobal, 0); global != std::string_view::npos;
       global = find_word(view, kGlobal, global + 1)) {
    std::size_t open = view.find('(', global);
    // Attributes such as __launch_bounds__(256) stand before the name.
    while (open != std::string_view::npos && word_before(view, open).starts_with("__")) {
      const std::size_t close = closing_bracket(view, open);
      open = close == std::string_view::npos ? close : view.find('(', close);
    }
    if (open == std::string_view::npos || word_before(view, open) != name) continue;
    const std::size_t close = closing_bracket(view, open);
    if (close == std::string_view::npos) continue;
    const auto at = static_cast<std::size_t>(word_before(view, open).data() - view.data());
    return KernelText{file, line_number_at(view, at),
                      parameters_in(view.substr(open + 1, close - open - 1))};
  }
  return std::nullopt;
}

// The main file first.
template <typename Visit>
void for_each_file(const Source& source, const Visit& visit) {
  if (visit(source.name, source.text)) return;
  for (const auto& [name, text] : source.files) {
    if (visit(name, text)) return;
  }
}

std::string_view line_at(std::string_view text, std::uint32_t number) {
  for (; number > 1 && !text.empty(); --number) {
    const std::size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::optional<KernelText> find_kernel(const Source& source, std::string_view name) {
  std::optional<KernelText> found;
  for_each_file(source, [&](const std::string& file, const std::string& text) {
    found = find_kernel_in(file, text, name);
    return found.has_value();
  });
  return found;
}

std::uint32_t line_of_word(std::string_view whole, std::string_view word) {
  const std::string text = without_comments(whole);
  const std::size_t at = find_word(text, word, 0);
  return at == std::string::npos ? 0 : line_number_at(text, at);
}

SourceLine place_of_word(const Source& source, std::string_view word) {
  SourceLine place{.file = source.name};
  for_each_file(source, [&](const std::string& file, const std::string& text) {
    const std::uint32_t line = line_of_word(text, word);
    if (line > 0) place = {file, line};
    return line > 0;
  });
  return place;
}

std::string file_with(const Source& source, std::uint32_t line, std::string_view word) {
  std::string found = source.name;
  for_each_file(source, [&](const std::string& file, const std::string& text) {
    const bool has = find_word(line_at(text, line), word, 0) != std::string_view::npos;
    if (has) found = file;
    return has;
  });
  return found;
}

const std::string* text_of(const Source& source, std::string_view file) {
  if (file == source.name) return &source.text;
  const auto found = source.files.find(std::string(file));
  return found == source.files.end() ? nullptr : &found->second;
}

std::string compiled_name(const std::string& file_name) {
  // A folder that nothing can lie in, where the compiler looks for what a file includes by "".
  std::string name = "/dev/null/";
  for (const char c : file_name) {
    const bool is_special = c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ';
    name += is_special ? '_' : c;
  }
  return name;
}

std::string place(const std::string& file_name, std::uint32_t line) {
  return line == 0 ? file_name + ": " : fmt::format("{}:{}: ", file_name, line);
}
std::string place(const SourceLine& line) { return place(line.file, line.line); }

}  // namespace autokernel::compile
