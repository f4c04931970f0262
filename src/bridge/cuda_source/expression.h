// What host code computes a size, a grid or a scalar from: whole numbers, named values and what C++
// does with them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace autokernel::bridge {

class Expression;
using Value = std::shared_ptr<const Expression>;

// A name of the host code: "n", where its value is known 1048576.
struct Symbol {
  std::string name;
  std::optional<double> value = {};
  bool is_whole = true;
  std::string file = {};  // where it has that value
  int line = 0;
};

class Expression {
 public:
  [[nodiscard]] static Value number(double value, bool is_whole);
  [[nodiscard]] static Value symbol(Symbol symbol);
  // "+", "-", "*", "/", "%", "<<", ">>", "<", "==" and so on. Numbers are computed at once. None,
  // as of the functions below, for what grows beyond any launch that somebody wrote.
  [[nodiscard]] static Value binary(const std::string& op, Value left, Value right);
  [[nodiscard]] static Value minus(Value value);
  [[nodiscard]] static Value least(Value left, Value right);
  [[nodiscard]] static Value most(Value left, Value right);
  // Rounded up, of a quotient.
  [[nodiscard]] static Value rounded_up(Value quotient);
  [[nodiscard]] static Value as_whole(Value value, bool is_whole);

  [[nodiscard]] bool is_whole() const { return is_whole_; }
  [[nodiscard]] const Symbol* as_symbol() const {
    return kind_ == Kind::symbol ? &symbol_ : nullptr;
  }
  [[nodiscard]] std::optional<double> number() const;  // where it is nothing but one
  // With the values of its symbols, or those that are given; none where one is unknown, or for a
  // division by zero.
  [[nodiscard]] std::optional<double> value() const;
  using Given = std::function<std::optional<double>(const std::string&)>;
  [[nodiscard]] std::optional<double> value_with(const Given& given) const;
  // Of "a op b".
  struct Operands {
    std::string op;
    Value left;
    Value right;
  };
  [[nodiscard]] std::optional<Operands> operands() const;
  // a * b * c as its parts, in order: each has a formula, or they are one.
  [[nodiscard]] std::vector<Value> factors() const;
  void collect(std::map<std::string, Symbol>& symbols) const;

  // For C++ and for a formula of case.toml, which knows real division only: none where it is not
  // the same there.
  [[nodiscard]] std::string cpp() const;
  [[nodiscard]] std::optional<std::string> formula() const;

  // The same by so many, as far as that is seen without dividing: n * 4 by 4 is n.
  [[nodiscard]] static Value divided(const Value& value, std::int64_t by);

 private:
  enum class Kind : std::uint8_t {
    number,
    symbol,
    binary,
    minus,
    least,
    most,
    rounded_up,
    truncated
  };
  [[nodiscard]] static Value made(Kind kind, bool is_whole, std::string op,
                                  std::vector<Value> parts);
  [[nodiscard]] std::string text(bool is_formula) const;
  [[nodiscard]] bool is_formula() const;

  Kind kind_ = Kind::number;
  bool is_whole_ = true;
  std::size_t size_ = 1;  // with all its parts
  double number_ = 0;
  Symbol symbol_;
  std::string op_;
  std::vector<Value> parts_;
};

}  // namespace autokernel::bridge
