#include "bridge/cuda_source/polynomial.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace autokernel::bridge {

Polynomial::Polynomial(double number) {
  if (number != 0) terms_[{}] = number;
}

std::optional<Polynomial> Polynomial::of(const Value& value) {
  if (!value) return std::nullopt;
  if (const auto number = value->number()) return Polynomial(*number);
  if (const Symbol* const symbol = value->as_symbol()) {
    Polynomial one;
    one.terms_[{symbol->name}] = 1;
    one.symbols_.emplace(symbol->name, *symbol);
    return one;
  }
  if (const auto parts = value->operands()) {
    const auto a = of(parts->left);
    const auto b = of(parts->right);
    if (!a || !b || a->is_long() || b->is_long()) return std::nullopt;
    if (parts->op == "+") return *a + *b;
    if (parts->op == "-") return *a - *b;
    if (parts->op == "*") return *a * *b;
  }
  const auto known = value->value();
  return known ? std::optional(Polynomial(*known)) : std::nullopt;
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  Polynomial sum = a;
  for (const auto& [symbols, coefficient] : b.terms_) {
    double& total = sum.terms_[symbols];
    total += coefficient;
    if (total == 0) sum.terms_.erase(symbols);
  }
  sum.symbols_.insert(b.symbols_.begin(), b.symbols_.end());
  return sum;
}

Polynomial operator-(const Polynomial& a, const Polynomial& b) { return a + b * Polynomial(-1); }

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial product;
  for (const auto& [left, x] : a.terms_) {
    for (const auto& [right, y] : b.terms_) {
      std::vector<std::string> symbols = left;
      symbols.insert(symbols.end(), right.begin(), right.end());
      std::ranges::sort(symbols);
      Polynomial term;
      term.terms_[symbols] = x * y;
      product = product + term;
    }
  }
  product.symbols_ = a.symbols_;
  product.symbols_.insert(b.symbols_.begin(), b.symbols_.end());
  return product;
}

std::optional<double> Polynomial::number() const {
  if (terms_.empty()) return 0;
  if (terms_.size() > 1 || !terms_.begin()->first.empty()) return std::nullopt;
  return terms_.begin()->second;
}

std::optional<double> Polynomial::value() const {
  double sum = 0;
  for (const auto& [symbols, coefficient] : terms_) {
    double product = coefficient;
    for (const std::string& symbol : symbols) {
      const auto known = symbols_.at(symbol).value;
      if (!known) return std::nullopt;
      product *= *known;
    }
    sum += product;
  }
  return sum;
}

bool Polynomial::is_long() const {
  constexpr std::size_t kMostTerms = 32;
  constexpr std::size_t kMostSymbols = 8;
  return terms_.size() > kMostTerms || std::ranges::any_of(terms_, [](const auto& term) {
           return term.first.size() > kMostSymbols;
         });
}

Value Polynomial::expression() const {
  Value sum = Expression::number(0, true);
  // Those with the most symbols first: M * N + N + 1.
  std::vector<std::pair<std::vector<std::string>, double>> terms(terms_.begin(), terms_.end());
  std::ranges::sort(terms, [](const auto& a, const auto& b) {
    const std::size_t of_a = a.first.size();
    const std::size_t of_b = b.first.size();
    return of_a != of_b ? of_a > of_b : a.first < b.first;
  });
  for (const auto& [symbols, coefficient] : terms) {
    Value product = Expression::number(std::fabs(coefficient), true);
    for (const std::string& symbol : symbols)
      product = Expression::binary("*", product, Expression::symbol(symbols_.at(symbol)));
    sum = Expression::binary(coefficient < 0 ? "-" : "+", sum, product);
  }
  return sum;
}

std::optional<Polynomial> Polynomial::divided(double by) const {
  Polynomial quotient = *this;
  for (auto& [symbols, coefficient] : quotient.terms_) {
    coefficient /= by;
    if (coefficient != std::trunc(coefficient)) return std::nullopt;
  }
  return quotient;
}

}  // namespace autokernel::bridge
