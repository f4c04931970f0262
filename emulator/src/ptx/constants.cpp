#include "ptx/constants.h"

#include <array>
#include <bit>
#include <limits>
#include <string>

namespace emulator::ptx {
namespace {

using Kind = Constant::Kind;

constexpr unsigned kDeepestNesting =
    200;  // nested parentheses, signs and conditionals; each costs stack

enum class Operation : std::uint8_t {
  logical_or,
  logical_and,
  or_,
  xor_,
  and_,
  equal,
  unequal,
  less,
  less_equal,
  greater,
  greater_equal,
  left,
  right,
  add,
  subtract,
  multiply,
  divide,
  remainder,
};

struct Binary {
  std::string_view text;
  Operation operation;
  int binding;  // higher binds tighter
};

constexpr std::array<Binary, 18> kBinaries = {{
    {"||", Operation::logical_or, 1},
    {"&&", Operation::logical_and, 2},
    {"|", Operation::or_, 3},
    {"^", Operation::xor_, 4},
    {"&", Operation::and_, 5},
    {"==", Operation::equal, 6},
    {"!=", Operation::unequal, 6},
    {"<", Operation::less, 7},
    {"<=", Operation::less_equal, 7},
    {">", Operation::greater, 7},
    {">=", Operation::greater_equal, 7},
    {"<<", Operation::left, 8},
    {">>", Operation::right, 8},
    {"+", Operation::add, 9},
    {"-", Operation::subtract, 9},
    {"*", Operation::multiply, 10},
    {"/", Operation::divide, 10},
    {"%", Operation::remainder, 10},
}};

const Binary* binary_at(const TokenStream& tokens) {
  if (tokens.peek().kind != TokenKind::punctuation) return nullptr;
  for (const Binary& candidate : kBinaries) {
    if (candidate.text == tokens.peek().text) return &candidate;
  }
  return nullptr;
}

Constant truth(bool value) { return {value ? 1U : 0U, Kind::signed_integer}; }

// C's rule for two 64-bit operands: unsigned wins. Every result wraps.
class Arithmetic {
 public:
  Arithmetic(Constant left, Constant right, Location where)
      : a_(left.bits),
        b_(right.bits),
        where_(where),
        left_signed_(left.kind == Kind::signed_integer) {
    signed_ = left_signed_ && right.kind == Kind::signed_integer;
  }

  [[nodiscard]] Constant result(Operation operation) const {
    switch (operation) {
      case Operation::logical_or:
        return truth(a_ != 0 || b_ != 0);
      case Operation::logical_and:
        return truth(a_ != 0 && b_ != 0);
      case Operation::or_:
        return wrapped(a_ | b_);
      case Operation::xor_:
        return wrapped(a_ ^ b_);
      case Operation::and_:
        return wrapped(a_ & b_);
      case Operation::equal:
        return truth(a_ == b_);
      case Operation::unequal:
        return truth(a_ != b_);
      case Operation::less:
        return truth(less(a_, b_));
      case Operation::less_equal:
        return truth(!less(b_, a_));
      case Operation::greater:
        return truth(less(b_, a_));
      case Operation::greater_equal:
        return truth(!less(a_, b_));
      case Operation::left:
        return {b_ > 63 ? 0 : a_ << b_,
                left_signed_ ? Kind::signed_integer : Kind::unsigned_integer};
      case Operation::right:
        return shifted_right();
      case Operation::add:
        return wrapped(a_ + b_);
      case Operation::subtract:
        return wrapped(a_ - b_);
      case Operation::multiply:
        return wrapped(a_ * b_);
      case Operation::divide:
      case Operation::remainder:
        return divided(operation == Operation::divide);
    }
    return {};
  }

 private:
  [[nodiscard]] Constant wrapped(std::uint64_t bits) const {
    return {bits, signed_ ? Kind::signed_integer : Kind::unsigned_integer};
  }

  [[nodiscard]] bool less(std::uint64_t a, std::uint64_t b) const {
    return signed_ ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
  }

  [[nodiscard]] Constant shifted_right() const {
    if (!left_signed_) return {b_ > 63 ? 0 : a_ >> b_, Kind::unsigned_integer};
    const auto amount = static_cast<int>(b_ > 63 ? 63 : b_);
    return {static_cast<std::uint64_t>(static_cast<std::int64_t>(a_) >> amount),
            Kind::signed_integer};
  }

  [[nodiscard]] Constant divided(bool quotient) const {
    if (b_ == 0) throw Error(where_, "division by zero in a constant expression");
    if (!signed_) return wrapped(quotient ? a_ / b_ : a_ % b_);
    // The one quotient that does not fit; the processor would stop the whole process over it.
    if (b_ == ~std::uint64_t{0}) return wrapped(quotient ? 0 - a_ : 0);
    const auto a = static_cast<std::int64_t>(a_);
    const auto b = static_cast<std::int64_t>(b_);
    return wrapped(static_cast<std::uint64_t>(quotient ? a / b : a % b));
  }

  std::uint64_t a_;
  std::uint64_t b_;
  Location where_;
  bool left_signed_;
  bool signed_;
};

// 0d literals and decimal numbers are both f64; 0f ones take part in nothing.
Constant floating_result(Constant left, Constant right, Operation operation, Location where) {
  if (left.kind != Kind::f64 || right.kind != Kind::f64) {
    throw Error(where, "this operator needs two integers or two decimal numbers");
  }
  const auto a = std::bit_cast<double>(left.bits);
  const auto b = std::bit_cast<double>(right.bits);
  const auto result = [](double value) {
    return Constant{std::bit_cast<std::uint64_t>(value), Kind::f64};
  };
  switch (operation) {
    case Operation::add:
      return result(a + b);
    case Operation::subtract:
      return result(a - b);
    case Operation::multiply:
      return result(a * b);
    case Operation::divide:
      if (b == 0) throw Error(where, "division by zero in a constant expression");
      return result(a / b);
    default:
      throw Error(where, "this operator needs integers");
  }
}

Constant negated(Constant value) {
  switch (value.kind) {
    case Kind::f32:
      return {value.bits ^ (std::uint64_t{1} << 31U), value.kind};
    case Kind::f64:
      return {value.bits ^ (std::uint64_t{1} << 63U), value.kind};
    default:
      return {0 - value.bits, value.kind};
  }
}

class ExpressionReader {
 public:
  explicit ExpressionReader(TokenStream& tokens) : tokens_(tokens) {}

  Constant conditional() {
    const Descent descent(*this);
    const Location where = tokens_.peek().where;
    const Constant condition = binary(1);
    if (!tokens_.take_if("?")) return condition;
    require_integer(condition, where);
    const Constant when_true = conditional();
    tokens_.expect(":");
    const Constant when_false = conditional();
    return condition.bits != 0 ? when_true : when_false;
  }

 private:
  class Descent {
   public:
    explicit Descent(ExpressionReader& reader) : depth_(reader.depth_) {
      if (depth_ == kDeepestNesting) {
        throw Error(reader.tokens_.peek().where, "a constant expression is nested too deeply");
      }
      ++depth_;
    }
    Descent(const Descent&) = delete;
    Descent& operator=(const Descent&) = delete;
    ~Descent() { --depth_; }

   private:
    unsigned& depth_;
  };

  static void require_integer(Constant value, Location where) {
    if (!value.is_integer()) throw Error(where, "this operator needs integers");
  }

  Constant binary(int weakest) {
    Constant left = unary();
    for (;;) {
      const Binary* const found = binary_at(tokens_);
      if (found == nullptr || found->binding < weakest) return left;
      const Location operator_at = tokens_.take().where;
      const Constant right = binary(found->binding + 1);
      if (left.is_integer() && right.is_integer()) {
        left = Arithmetic(left, right, operator_at).result(found->operation);
      } else {
        left = floating_result(left, right, found->operation, operator_at);
      }
    }
  }

  Constant unary() {
    const Descent descent(*this);
    const Location where = tokens_.peek().where;
    if (tokens_.take_if("+")) return unary();
    if (tokens_.take_if("-")) return negated(unary());
    if (tokens_.take_if("~")) {
      const Constant value = unary();
      require_integer(value, where);
      return {~value.bits, value.kind};
    }
    if (tokens_.take_if("!")) {
      const Constant value = unary();
      require_integer(value, where);
      return truth(value.bits == 0);
    }
    if (tokens_.take_if("(")) return parenthesised();
    if (tokens_.peek().kind == TokenKind::identifier && tokens_.peek().text == "WARP_SZ") {
      tokens_.take();
      return {32, Kind::signed_integer};
    }
    return number_value(tokens_.expect(TokenKind::number, "a constant"));
  }

  // Behind the opening parenthesis: an expression, or a cast and what it applies to.
  Constant parenthesised() {
    const bool to_signed = tokens_.at_dotted("s64");
    if (!to_signed && !tokens_.at_dotted("u64")) {
      const Constant value = conditional();
      tokens_.expect(")");
      return value;
    }
    tokens_.take();
    tokens_.expect(")");
    const Location where = tokens_.peek().where;
    const Constant value = unary();
    require_integer(value, where);
    return {value.bits, to_signed ? Kind::signed_integer : Kind::unsigned_integer};
  }

  TokenStream& tokens_;
  unsigned depth_ = 0;
};

}  // namespace

bool at_constant(const TokenStream& tokens) {
  const Token& next = tokens.peek();
  if (next.kind == TokenKind::number) return true;
  if (next.kind == TokenKind::identifier) return next.text == "WARP_SZ";
  return tokens.at("-") || tokens.at("+") || tokens.at("~") || tokens.at("!") || tokens.at("(");
}

Constant read_constant(TokenStream& tokens) { return ExpressionReader(tokens).conditional(); }

Constant read_integer(TokenStream& tokens, std::string_view what) {
  const Location where = tokens.peek().where;
  const Constant value = read_constant(tokens);
  if (!value.is_integer()) {
    throw Error(where, "expected " + std::string(what) + " but found a floating-point number");
  }
  return value;
}

std::uint32_t read_u32(TokenStream& tokens, std::string_view what) {
  const Location where = tokens.peek().where;
  const Constant value = read_integer(tokens, what);
  if (value.bits > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(where, std::string(what) + " has to lie between 0 and 4294967295");
  }
  return static_cast<std::uint32_t>(value.bits);
}

}  // namespace emulator::ptx
