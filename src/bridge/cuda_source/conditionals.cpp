#include "bridge/cuda_source/conditionals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>

#include "bridge/cuda_source/syntax.h"

namespace autokernel::bridge {
namespace {

constexpr int kMostExpansions = 16;  // of a name that stands for another one
constexpr long long kMostNumber = 1LL << 62U;

class Condition {
 public:
  explicit Condition(const Defined& defined) : defined_(defined) {}

  [[nodiscard]] bool holds(const std::string& text) { return number_of(with_defined(text)) != 0; }

  [[nodiscard]] const std::set<std::string>& missing() const { return missing_; }

 private:
  [[nodiscard]] long long number_of(const std::string& text) {
    const Syntax syntax("", "auto value_ = " + text + ";");
    Node value;
    walk(syntax.root(), [&](const Node& node) {
      if (node.is("init_declarator") && !value) value = node.field("value");
      return !value;
    });
    return number(value, 0);
  }

  // defined(X) and defined X by 1 or 0.
  [[nodiscard]] std::string with_defined(const std::string& text) {
    const std::string word = "defined";
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t found = text.find(word, at);
      if (found == std::string::npos) return result + text.substr(at);
      result += text.substr(at, found - at);
      std::size_t begin = text.find_first_not_of(" \t(", found + word.size());
      if (begin == std::string::npos) return result + "0";
      std::size_t end = begin;
      while (end < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
        ++end;
      const std::string name = text.substr(begin, end - begin);
      if (!defined_.contains(name)) missing_.insert(name);
      result += defined_.contains(name) ? "1" : "0";
      const bool is_bracketed =
          text.substr(found + word.size(), begin - found - word.size()).find('(') !=
          std::string::npos;
      const std::size_t close = is_bracketed ? text.find(')', end) : std::string::npos;
      at = close == std::string::npos ? std::max(end, found + 1) : close + 1;
    }
    return result;
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the condition is, which the grammar has read
  [[nodiscard]] long long number(const Node& node, int depth) {
    constexpr int kMostDepth = 64;
    if (!node || depth > kMostDepth) return 0;
    if (node.is("number_literal")) return std::strtoll(node.string().c_str(), nullptr, 0);
    if (node.is("true")) return 1;
    if (node.is("identifier")) return of_name(node.string());
    const std::vector<Node> children = node.children();
    if (node.is("parenthesized_expression") && children.size() == 1)
      return number(children[0], depth + 1);
    if (node.is("unary_expression")) {
      const long long value = number(node.field("argument"), depth + 1);
      const std::string op = node.field("operator").string();
      if (op == "!") return value == 0 ? 1 : 0;
      if (op == "~") return ~value;
      return op == "-" && value > -kMostNumber ? -value : value;
    }
    if (!node.is("binary_expression")) return 0;
    const long long a = number(node.field("left"), depth + 1);
    const long long b = number(node.field("right"), depth + 1);
    return combined(node.field("operator").string(), a, b);
  }

  [[nodiscard]] static long long combined(const std::string& op, long long a, long long b) {
    if (op == "&&") return a != 0 && b != 0 ? 1 : 0;
    if (op == "||") return a != 0 || b != 0 ? 1 : 0;
    if (op == "==") return a == b ? 1 : 0;
    if (op == "!=") return a != b ? 1 : 0;
    if (op == "<") return a < b ? 1 : 0;
    if (op == ">") return a > b ? 1 : 0;
    if (op == "<=") return a <= b ? 1 : 0;
    if (op == ">=") return a >= b ? 1 : 0;
    constexpr long long kMost = 1LL << 30U;  // no condition needs more, and nothing overflows
    if (a >= 0 && b >= 0 && op == "&") return a & b;
    if (a >= 0 && b >= 0 && op == "|") return a | b;
    if (a >= 0 && b >= 0 && op == "^") return a ^ b;
    if (a >= 0 && a <= kMost && b >= 0 && b < 30 && op == "<<") return a << b;
    if (a >= 0 && b >= 0 && b < 63 && op == ">>") return a >> b;
    if (a > kMost || a < -kMost || b > kMost || b < -kMost) return 0;
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (op == "/") return b == 0 ? 0 : a / b;
    if (op == "%") return b == 0 ? 0 : a % b;
    return 0;
  }

  [[nodiscard]] long long of_name(const std::string& name) {
    const auto known = defined_.find(name);
    if (known == defined_.end()) {
      if (depth_ == 0) missing_.insert(name);
      return 0;
    }
    if (known->second.empty() || depth_ > kMostExpansions) return 0;
    ++depth_;
    const long long number = number_of(known->second);
    --depth_;
    return number;
  }

  const Defined& defined_;
  std::set<std::string> missing_;
  int depth_ = 0;
};

// A directive, with the lines that it is continued in.
struct Directive {
  std::size_t begin = 0;
  std::size_t end = 0;  // of its last line, without the end of that
  std::string word;     // "ifdef"
  std::string rest;
};

[[nodiscard]] std::optional<Directive> directive_at(const std::string& text, std::size_t begin) {
  std::size_t at = begin;
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  if (at >= text.size() || text[at] != '#') return std::nullopt;
  Directive directive{.begin = begin, .end = begin, .word = {}, .rest = {}};
  for (std::size_t line = begin;;) {
    directive.end = std::min(text.find('\n', line), text.size());
    std::size_t last = directive.end;
    while (last > line && (text[last - 1] == '\r' || text[last - 1] == ' ')) --last;
    if (last == line || text[last - 1] != '\\' || directive.end == text.size()) break;
    line = directive.end + 1;
  }
  std::string whole = text.substr(at + 1, directive.end - at - 1);
  std::ranges::replace(whole, '\n', ' ');
  std::ranges::replace(whole, '\r', ' ');
  std::ranges::replace(whole, '\\', ' ');
  whole = whole.substr(0, std::min(whole.find("//"), whole.find("/*")));
  const std::size_t word = std::min(whole.find_first_not_of(" \t"), whole.size());
  std::size_t end = word;
  while (end < whole.size() && std::isalpha(static_cast<unsigned char>(whole[end])) != 0) ++end;
  directive.word = whole.substr(word, end - word);
  directive.rest = whole.substr(std::min(whole.find_first_not_of(" \t", end), whole.size()));
  while (!directive.rest.empty() && directive.rest.back() == ' ') directive.rest.pop_back();
  return directive;
}

// By position: whether it is inside a comment or a literal that goes over lines.
[[nodiscard]] std::vector<bool> lines_of_comments(const std::string& text) {
  std::vector<bool> inside(text.size() + 1, false);
  const auto skip = [&](std::size_t begin, const std::string& end_mark) {
    const std::size_t found = text.find(end_mark, begin);
    const std::size_t end = found == std::string::npos ? text.size() : found + end_mark.size();
    for (std::size_t i = begin; i < end; ++i) inside[i] = true;
    return end;
  };
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = std::string_view(text).substr(i);
    if (rest.starts_with("/*")) {
      i = skip(i + 2, "*/");
    } else if (rest.starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (rest.starts_with("R\"")) {
      const std::size_t open = text.find('(', i);
      if (open == std::string::npos) break;
      i = skip(open, ")" + text.substr(i + 2, std::min<std::size_t>(open - i - 2, 16)) + "\"");
    } else if (text[i] == '"' || text[i] == '\'') {
      // Up to the end of the line at most.
      const char quote = text[i];
      for (++i; i < text.size() && text[i] != quote && text[i] != '\n'; ++i)
        if (text[i] == '\\') ++i;
      ++i;
    } else {
      ++i;
    }
  }
  return inside;
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

}  // namespace

Defined defined_by_the_compiler() {
  return {{"__CUDACC__", "1"},
          {"__CUDACC_RTC__", "1"},
          {"__CUDA_ARCH__", "900"},
          {"__cplusplus", "202002"},
          {"CUDART_VERSION", "13000"},
          {"CUDA_VERSION", "13000"},
          {"__CUDACC_VER_MAJOR__", "13"},
          {"__CUDACC_VER_MINOR__", "0"}};
}

std::string without_conditionals(const std::string& file, std::string text, Defined& defined,
                                 std::vector<Note>& notes,
                                 const std::function<void(const std::string&)>& included) {
  struct Level {
    bool was_taken = false;
    bool is_taken = false;
  };
  std::vector<Level> levels;
  const auto is_compiled = [&] {
    return std::ranges::all_of(levels, [](const Level& level) { return level.is_taken; });
  };
  int line = 1;
  const auto decide = [&](const Directive& directive) {
    Condition condition(defined);
    bool holds = false;
    std::set<std::string> missing;
    const bool is_name = directive.word.ends_with("def") && directive.word != "undef";
    if (is_name) {
      const std::string name = directive.rest.substr(0, directive.rest.find_first_of(" \t"));
      const bool is_defined = defined.contains(name);
      const bool asks_for_none = directive.word.ends_with("ndef");
      holds = is_defined != asks_for_none;
      if (!is_defined && !asks_for_none) missing.insert(name);
    } else {
      holds = condition.holds(directive.rest);
      missing = condition.missing();
    }
    if (!holds && !missing.empty()) {
      notes.push_back({.file = file,
                       .line = line,
                       .text = fmt::format("#{} {} does not hold: nothing here defines {}",
                                           directive.word, directive.rest, *missing.begin())});
    }
    return holds;
  };
  const std::vector<bool> is_other = lines_of_comments(text);
  for (std::size_t begin = 0; begin < text.size();) {
    const auto directive = is_other[begin] ? std::nullopt : directive_at(text, begin);
    const std::size_t end =
        directive ? directive->end : std::min(text.find('\n', begin), text.size());
    const bool compiled = is_compiled();
    if (!directive) {
      if (!compiled) blank(text, begin, end);
    } else {
      const std::string& word = directive->word;
      bool decides = true;
      if (word == "if" || word == "ifdef" || word == "ifndef") {
        const bool holds = compiled && decide(*directive);
        levels.push_back({.was_taken = holds || !compiled, .is_taken = holds});
      } else if ((word.starts_with("elif") || word == "else") && !levels.empty()) {
        Level& level = levels.back();
        const bool can_be = !level.was_taken;
        level.is_taken = false;
        level.is_taken = can_be && (word == "else" || decide(*directive));
        level.was_taken |= level.is_taken;
      } else if (word == "endif" && !levels.empty()) {
        levels.pop_back();
      } else {
        decides = false;
        if (compiled && word == "define") {
          const std::size_t name = directive->rest.find_first_of(" \t(");
          const std::size_t value =
              name == std::string::npos ? name : directive->rest.find_first_not_of(" \t", name);
          defined[directive->rest.substr(0, name)] =
              value == std::string::npos ? "" : directive->rest.substr(value);
        }
        if (compiled && word == "undef") defined.erase(directive->rest);
        if (compiled && word == "include" && directive->rest.size() > 2)
          included(directive->rest.substr(1, directive->rest.find_last_of("\">") - 1));
      }
      if (decides || !compiled) blank(text, begin, end);
    }
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                        text.begin() + static_cast<std::ptrdiff_t>(end), '\n')) +
            1;
    begin = end + 1;
  }
  return text;
}

}  // namespace autokernel::bridge
