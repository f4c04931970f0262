// Sums of products of symbols: what indices of arrays are, where they can be told.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bridge/cuda_source/expression.h"

namespace autokernel::bridge {

class Polynomial {
 public:
  Polynomial() = default;
  explicit Polynomial(double number);
  // None where the value is anything else; a quotient and the like is its number, where that is
  // known.
  [[nodiscard]] static std::optional<Polynomial> of(const Value& value);

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);

  [[nodiscard]] std::optional<double> number() const;  // where it is nothing but one
  [[nodiscard]] std::optional<double> value() const;   // with those of its symbols
  // Too long for an index that somebody wrote: products of it would be without end.
  [[nodiscard]] bool is_long() const;
  [[nodiscard]] Value expression() const;  // none where it is too long
  // With all coefficients whole after dividing; none where that is not so.
  [[nodiscard]] std::optional<Polynomial> divided(double by) const;

 private:
  std::map<std::vector<std::string>, double> terms_;  // symbols, sorted: coefficient
  std::map<std::string, Symbol> symbols_;
};

}  // namespace autokernel::bridge
