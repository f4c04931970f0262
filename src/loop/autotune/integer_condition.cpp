#include "loop/autotune/integer_condition.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "autokernel/compile/source_text.h"

namespace autokernel::loop {
namespace {

// Deeper than anybody writes, and far from the end of the stack.
constexpr int kDeepest = 100;

[[nodiscard]] bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
[[nodiscard]] bool fits(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

// The binary operators of C++ on arithmetic types, from those that bind the least.
constexpr std::array<std::array<std::string_view, 4>, 10> kLevels{{{"||"},
                                                                   {"&&"},
                                                                   {"|"},
                                                                   {"^"},
                                                                   {"&"},
                                                                   {"==", "!="},
                                                                   {"<=", ">=", "<", ">"},
                                                                   {"<<", ">>"},
                                                                   {"+", "-"},
                                                                   {"*", "/", "%"}}};
// What begins with another operator, the longer first.
constexpr std::array<std::string_view, 20> kSigns{"<<", ">>", "<=", ">=", "==", "!=", "&&",
                                                  "||", "<",  ">",  "+",  "-",  "*",  "/",
                                                  "%",  "&",  "|",  "^",  "!",  "~"};

[[nodiscard]] std::optional<std::int64_t> applied(std::string_view sign, std::int64_t a,
                                                  std::int64_t b) {
  if (sign == "+") return a + b;
  if (sign == "-") return a - b;
  if (sign == "*") return a * b;
  if (sign == "/") return b == 0 ? std::nullopt : std::optional(a / b);
  if (sign == "%") return b == 0 ? std::nullopt : std::optional(a % b);
  constexpr std::int64_t kBits = 32;
  if (sign == "<<" || sign == ">>") {
    if (b < 0 || b >= kBits || a < 0) return std::nullopt;
    return sign == "<<" ? a << b : a >> b;
  }
  if (sign == "<") return static_cast<std::int64_t>(a < b);
  if (sign == "<=") return static_cast<std::int64_t>(a <= b);
  if (sign == ">") return static_cast<std::int64_t>(a > b);
  if (sign == ">=") return static_cast<std::int64_t>(a >= b);
  if (sign == "==") return static_cast<std::int64_t>(a == b);
  if (sign == "!=") return static_cast<std::int64_t>(a != b);
  if (sign == "&") return a & b;
  if (sign == "^") return a ^ b;
  return a | b;
}

}  // namespace

std::optional<std::int64_t> integer_literal(std::string_view text) {
  if (text == "true") return 1;
  if (text == "false") return 0;
  while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  std::int64_t base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.starts_with("0b") || text.starts_with("0B")) {
    base = 2;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
    text.remove_prefix(1);
  }
  if (text.empty() || text.front() == '\'' || text.back() == '\'') return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c == '\'') continue;
    std::int64_t digit = base;
    if (c >= '0' && c <= '9') digit = c - '0';
    if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
    if (c >= 'A' && c <= 'F') digit = c - 'A' + 10;
    if (digit >= base) return std::nullopt;
    value = value * base + digit;
    if (!fits(value)) return std::nullopt;
  }
  return value;
}

class IntegerCondition::Parser {
 public:
  Parser(std::string_view text,
         const std::function<std::optional<std::size_t>(std::string_view)>& number_of,
         std::vector<Node>& nodes)
      : text_(text), number_of_(number_of), nodes_(nodes) {}

  [[nodiscard]] std::size_t whole() {
    const std::size_t root = choice();
    skip_blanks();
    if (at_ < text_.size()) fail(fmt::format("'{}' is not read", text_.substr(at_, 20)));
    return root;
  }

 private:
  [[noreturn]] static void fail(const std::string& why) { throw UnreadableCondition(why); }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  // The operator that stands here; empty: none does.
  [[nodiscard]] std::string_view sign() {
    skip_blanks();
    for (const std::string_view each : kSigns)
      if (text_.substr(at_).starts_with(each)) return each;
    return {};
  }
  [[nodiscard]] bool takes(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] std::size_t add(const Node& node) {
    // As deep as a chain of operators is long.
    constexpr std::size_t kMostNodes = 300;
    if (nodes_.size() == kMostNodes) fail("it is too long");
    nodes_.push_back(node);
    return nodes_.size() - 1;
  }

  [[nodiscard]] std::size_t choice() {
    if (++depth_ > kDeepest) fail("it is nested too deeply");
    const std::size_t condition = binary(0);
    std::size_t node = condition;
    if (takes('?')) {
      const std::size_t yes = choice();
      if (!takes(':')) fail("a ':' is missing");
      const std::size_t no = choice();
      node = add({.kind = Kind::choice,
                  .sign = {},
                  .literal = 0,
                  .value = 0,
                  .first = condition,
                  .second = yes,
                  .third = no});
    }
    --depth_;
    return node;
  }

  [[nodiscard]] std::size_t binary(std::size_t level) {
    if (level == kLevels.size()) return unary();
    std::size_t left = binary(level + 1);
    while (true) {
      const std::string_view next = sign();
      bool is_here = false;
      for (const std::string_view each : kLevels[level]) is_here |= !each.empty() && each == next;
      if (!is_here) return left;
      at_ += next.size();
      const std::size_t right = binary(level + 1);
      left = add({.kind = Kind::binary,
                  .sign = next,
                  .literal = 0,
                  .value = 0,
                  .first = left,
                  .second = right,
                  .third = 0});
    }
  }

  [[nodiscard]] std::size_t unary() {
    const std::string_view next = sign();
    if (next == "!" || next == "~" || next == "-" || next == "+") {
      at_ += next.size();
      if (++depth_ > kDeepest) fail("it is nested too deeply");
      const std::size_t operand = unary();
      --depth_;
      return add({.kind = Kind::unary,
                  .sign = next,
                  .literal = 0,
                  .value = 0,
                  .first = operand,
                  .second = 0,
                  .third = 0});
    }
    if (takes('(')) {
      const std::size_t inner = choice();
      if (!takes(')')) fail("a bracket is not closed");
      return inner;
    }
    return word();
  }

  [[nodiscard]] std::size_t word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (compile::is_word_character(text_[at_]) || (text_[at_] == '\'' && at_ > begin)))
      ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name.empty()) fail(fmt::format("'{}' is not read", text_.substr(at_, 20)));
    if (const auto literal = integer_literal(name)) {
      return add({.kind = Kind::literal,
                  .sign = {},
                  .literal = *literal,
                  .value = 0,
                  .first = 0,
                  .second = 0,
                  .third = 0});
    }
    const bool is_name = name[0] < '0' || name[0] > '9';
    const std::optional<std::size_t> number = is_name ? number_of_(name) : std::nullopt;
    if (!number) fail(fmt::format("'{}' is no parameter, no size and no int", name));
    return add({.kind = Kind::value,
                .sign = {},
                .literal = 0,
                .value = *number,
                .first = 0,
                .second = 0,
                .third = 0});
  }

  std::string_view text_;
  const std::function<std::optional<std::size_t>(std::string_view)>& number_of_;
  std::vector<Node>& nodes_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

IntegerCondition::IntegerCondition(
    std::string_view text,
    const std::function<std::optional<std::size_t>(std::string_view)>& number_of)
    : root_(Parser(text, number_of, nodes_).whole()) {}

std::optional<std::int64_t> IntegerCondition::evaluated(
    std::size_t node, const std::vector<std::int64_t>& values) const {
  const Node& at = nodes_[node];
  const auto checked = [](std::int64_t value) {
    return fits(value) ? std::optional(value) : std::nullopt;
  };
  if (at.kind == Kind::literal) return at.literal;
  if (at.kind == Kind::value) return checked(values[at.value]);
  const std::optional<std::int64_t> first = evaluated(at.first, values);
  if (!first) return std::nullopt;
  if (at.kind == Kind::choice) return evaluated(*first != 0 ? at.second : at.third, values);
  if (at.kind == Kind::unary) {
    if (at.sign == "!") return static_cast<std::int64_t>(*first == 0);
    if (at.sign == "~") return ~*first;
    return checked(at.sign == "-" ? -*first : *first);
  }
  if (at.sign == "&&" && *first == 0) return 0;
  if (at.sign == "||" && *first != 0) return 1;
  const std::optional<std::int64_t> second = evaluated(at.second, values);
  if (!second) return std::nullopt;
  if (at.sign == "&&" || at.sign == "||") return static_cast<std::int64_t>(*second != 0);
  const std::optional<std::int64_t> result = applied(at.sign, *first, *second);
  return result ? checked(*result) : std::nullopt;
}

std::optional<bool> IntegerCondition::holds(const std::vector<std::int64_t>& values) const {
  const std::optional<std::int64_t> value = evaluated(root_, values);
  return value ? std::optional(*value != 0) : std::nullopt;
}

}  // namespace autokernel::loop
