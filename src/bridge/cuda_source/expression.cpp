#include "bridge/cuda_source/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace autokernel::bridge {
namespace {

// Beyond this a double does not hold every whole number.
constexpr double kMostWhole = 9007199254740992.0;

// Of an expression; what one stands for is gone through as often as it is mentioned.
constexpr std::size_t kMostParts = 256;

[[nodiscard]] std::optional<double> computed(const std::string& op, double a, double b,
                                             bool is_whole) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/" || op == "%") {
    if (b == 0) return std::nullopt;
    if (op == "%") return std::fmod(a, b);
    return is_whole ? std::trunc(a / b) : a / b;
  }
  if (op == "<<" || op == ">>") {
    constexpr double kMostShift = 62;
    if (b < 0 || b > kMostShift) return std::nullopt;
    return op == "<<" ? std::ldexp(a, static_cast<int>(b))
                      : std::floor(std::ldexp(a, -static_cast<int>(b)));
  }
  if (op == "<") return a < b ? 1 : 0;
  if (op == ">") return a > b ? 1 : 0;
  if (op == "<=") return a <= b ? 1 : 0;
  if (op == ">=") return a >= b ? 1 : 0;
  if (op == "==") return a == b ? 1 : 0;
  if (op == "!=") return a != b ? 1 : 0;
  if (op == "&&") return a != 0 && b != 0 ? 1 : 0;
  if (op == "||") return a != 0 || b != 0 ? 1 : 0;
  const bool are_bits = a >= 0 && b >= 0 && a <= kMostWhole && b <= kMostWhole;
  if (!are_bits) return std::nullopt;
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  if (op == "&") return static_cast<double>(x & y);
  if (op == "|") return static_cast<double>(x | y);
  if (op == "^") return static_cast<double>(x ^ y);
  return std::nullopt;
}

// How tightly an operator binds, in C++ and in formulas alike.
constexpr int kMostRank = 4;
[[nodiscard]] int rank(const std::string& op) {
  if (op == "*" || op == "/" || op == "%") return 3;
  if (op == "+" || op == "-") return 2;
  return op == "<<" || op == ">>" ? 1 : 0;
}

[[nodiscard]] std::string bracketed(const std::string& text, bool is_needed) {
  return is_needed ? "(" + text + ")" : text;
}

}  // namespace

Value Expression::made(Kind kind, bool is_whole, std::string op, std::vector<Value> parts) {
  std::size_t size = 1;
  // Each part of these two is written twice.
  const std::size_t mentions = kind == Kind::least || kind == Kind::most ? 2 : 1;
  for (const Value& part : parts) size += mentions * part->size_;
  if (size > kMostParts) return nullptr;
  auto expression = std::make_shared<Expression>();
  expression->kind_ = kind;
  expression->size_ = size;
  expression->is_whole_ = is_whole;
  expression->op_ = std::move(op);
  expression->parts_ = std::move(parts);
  return expression;
}

Value Expression::number(double value, bool is_whole) {
  if (!std::isfinite(value) || (is_whole && std::fabs(value) > kMostWhole)) return nullptr;
  auto expression = std::make_shared<Expression>();
  expression->number_ = is_whole ? std::trunc(value) : value;
  expression->is_whole_ = is_whole;
  return expression;
}

Value Expression::symbol(Symbol symbol) {
  auto expression = std::make_shared<Expression>();
  expression->kind_ = Kind::symbol;
  expression->is_whole_ = symbol.is_whole;
  expression->symbol_ = std::move(symbol);
  return expression;
}

Value Expression::binary(const std::string& op, Value left, Value right) {
  if (!left || !right) return nullptr;
  const bool is_whole = left->is_whole_ && right->is_whole_;
  const auto a = left->number();
  const auto b = right->number();
  if (a && b) {
    const auto value = computed(op, *a, *b, is_whole);
    return value ? number(*value, is_whole) : nullptr;
  }
  if (op == "*" && a == 1) return right;
  if ((op == "*" || op == "/") && b == 1) return left;
  if (op == "+" && a == 0) return right;
  if ((op == "+" || op == "-") && b == 0) return left;
  return made(Kind::binary, is_whole, op, {std::move(left), std::move(right)});
}

Value Expression::minus(Value value) {
  if (!value) return nullptr;
  if (const auto known = value->number()) return number(-*known, value->is_whole_);
  const bool is_whole = value->is_whole_;
  return made(Kind::minus, is_whole, "-", {std::move(value)});
}

Value Expression::least(Value left, Value right) {
  if (!left || !right) return nullptr;
  const bool is_whole = left->is_whole_ && right->is_whole_;
  const auto a = left->number();
  const auto b = right->number();
  if (a && b) return number(std::min(*a, *b), is_whole);
  return made(Kind::least, is_whole, "min", {std::move(left), std::move(right)});
}

Value Expression::most(Value left, Value right) {
  if (!left || !right) return nullptr;
  const bool is_whole = left->is_whole_ && right->is_whole_;
  const auto a = left->number();
  const auto b = right->number();
  if (a && b) return number(std::max(*a, *b), is_whole);
  return made(Kind::most, is_whole, "max", {std::move(left), std::move(right)});
}

Value Expression::rounded_up(Value quotient) {
  if (!quotient) return nullptr;
  if (quotient->is_whole_) return quotient;
  if (const auto known = quotient->number()) return number(std::ceil(*known), true);
  if (quotient->kind_ == Kind::binary && quotient->op_ == "/") {
    // (a + b - 1) / b
    const Value a = as_whole(quotient->parts_[0], true);
    const Value b = as_whole(quotient->parts_[1], true);
    return binary("/", binary("+", a, binary("-", b, number(1, true))), b);
  }
  return made(Kind::rounded_up, true, "ceil", {std::move(quotient)});
}

Value Expression::as_whole(Value value, bool is_whole) {
  if (!value || value->is_whole_ == is_whole) return value;
  if (const auto known = value->number()) return number(*known, is_whole);
  if (is_whole) return made(Kind::truncated, true, "", {std::move(value)});
  auto copy = std::make_shared<Expression>(*value);
  copy->is_whole_ = false;
  return copy;
}

std::optional<double> Expression::number() const {
  if (kind_ != Kind::number) return std::nullopt;
  return number_;
}

std::optional<double> Expression::value() const {
  return value_with([](const std::string&) { return std::nullopt; });
}

std::optional<Expression::Operands> Expression::operands() const {
  if (kind_ != Kind::binary) return std::nullopt;
  return Operands{.op = op_, .left = parts_[0], .right = parts_[1]};
}

std::vector<Value> Expression::factors() const {
  if (kind_ != Kind::binary || op_ != "*") return {std::make_shared<Expression>(*this)};
  std::vector<Value> all = parts_[0]->factors();
  for (Value& factor : parts_[1]->factors()) all.push_back(std::move(factor));
  return all;
}

std::optional<double> Expression::value_with(const Given& given) const {
  if (kind_ == Kind::number) return number_;
  if (kind_ == Kind::symbol) {
    const auto other = given(symbol_.name);
    return other ? other : symbol_.value;
  }
  std::vector<double> values;
  for (const Value& part : parts_) {
    const auto value = part->value_with(given);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  switch (kind_) {
    case Kind::minus:
      return -values[0];
    case Kind::least:
      return std::min(values[0], values[1]);
    case Kind::most:
      return std::max(values[0], values[1]);
    case Kind::rounded_up:
      return std::ceil(values[0]);
    case Kind::truncated:
      return std::trunc(values[0]);
    default:
      return computed(op_, values[0], values[1], is_whole_);
  }
}

void Expression::collect(std::map<std::string, Symbol>& symbols) const {
  if (kind_ == Kind::symbol) symbols.emplace(symbol_.name, symbol_);
  for (const Value& part : parts_) part->collect(symbols);
}

bool Expression::is_formula() const {
  static const std::set<std::string> kSame = {"+", "-", "*"};
  if (kind_ == Kind::rounded_up || kind_ == Kind::truncated || kind_ == Kind::least ||
      kind_ == Kind::most)
    return false;
  if (kind_ == Kind::binary && !kSame.contains(op_)) return false;
  return std::ranges::all_of(parts_, [](const Value& part) { return part->is_formula(); });
}

std::string Expression::text(bool is_formula) const {
  switch (kind_) {
    case Kind::number:
      if (is_whole_) return fmt::format("{}", static_cast<std::int64_t>(number_));
      return fmt::format("{}", number_);
    case Kind::symbol:
      return symbol_.name;
    case Kind::minus:
      return "-" + bracketed(parts_[0]->text(is_formula), parts_[0]->kind_ != Kind::symbol);
    case Kind::binary: {
      const auto part = [&](const Value& value, bool is_right) {
        const int inner = value->kind_ == Kind::binary ? rank(value->op_) : kMostRank;
        // Bits and comparisons bind in an order that few know.
        const bool is_odd = rank(op_) == 0 && inner < kMostRank;
        const bool regroups =
            is_right && inner == rank(op_) && (op_ != value->op_ || (op_ != "+" && op_ != "*"));
        return bracketed(value->text(is_formula), inner < rank(op_) || regroups || is_odd);
      };
      return fmt::format("{} {} {}", part(parts_[0], false), op_, part(parts_[1], true));
    }
    case Kind::least:
    case Kind::most: {
      const char* const order = kind_ == Kind::least ? "<" : ">";
      const std::string a = parts_[0]->text(is_formula);
      const std::string b = parts_[1]->text(is_formula);
      return fmt::format("(({0}) {2} ({1}) ? ({0}) : ({1}))", a, b, order);
    }
    case Kind::rounded_up:
    case Kind::truncated:
      break;
  }
  return fmt::format("static_cast<int>({})", parts_[0]->text(is_formula));
}

std::string Expression::cpp() const { return text(false); }

std::optional<std::string> Expression::formula() const {
  if (!is_formula()) return std::nullopt;
  return text(true);
}

Value Expression::divided(const Value& value, std::int64_t by) {
  if (!value || by == 1) return value;
  if (by <= 0) return nullptr;
  const auto divisor = static_cast<double>(by);
  if (const auto known = value->number()) {
    return std::fmod(*known, divisor) == 0 ? number(*known / divisor, true) : nullptr;
  }
  if (value->kind_ == Kind::binary) {
    const Value& left = value->parts_[0];
    const Value& right = value->parts_[1];
    if (value->op_ == "*") {
      if (const Value shorter = divided(right, by)) return binary("*", left, shorter);
      if (const Value shorter = divided(left, by)) return binary("*", shorter, right);
    }
    if (value->op_ == "+" || value->op_ == "-") {
      const Value a = divided(left, by);
      const Value b = divided(right, by);
      if (a && b) return binary(value->op_, a, b);
    }
  }
  return nullptr;
}

}  // namespace autokernel::bridge
