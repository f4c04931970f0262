#include "emulator/numerics/functions.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "emulator/numerics/exact.h"

namespace emulator::testing::numerics {
namespace {

constexpr double kAll = std::numeric_limits<double>::infinity();
constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kNormal = 0x1p-126;
constexpr double kPi = std::numbers::pi;

Bound ulp(double most, double low = 0, double high = kAll, const char* where = "all") {
  return {Measure::ulp, most, low, high, where};
}
Bound relative(double exponent, double low, double high, const char* where) {
  return {Measure::relative, std::exp2(exponent), low, high, where};
}
Bound absolute(double exponent, double low, double high, const char* where) {
  return {Measure::absolute, std::exp2(exponent), low, high, where};
}
Bound unbounded(double low, const char* where) {
  return {Measure::relative, kUnbounded, low, kAll, where};
}

// For f64, rounded once from more digits; not in exact.cpp, where the compiler may do with fewer.
void reciprocal_root_rounded(Numbers a, Numbers /*unused*/, Values values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(1 / std::sqrt(static_cast<long double>(a[i])));
  }
}

void add_f32(std::vector<Function>& all, const std::string& word, unsigned operands, Exact exact,
             const std::vector<Bound>& bounds) {
  all.push_back({word + ".f32", FloatType::f32, operands, false, exact, bounds});
  all.push_back({word + ".ftz.f32", FloatType::f32, operands, true, exact, bounds});
}

std::vector<Function> make() {
  const std::vector<Bound> waves = {absolute(-20.5, 0, 2 * kPi, "[-2 pi, 2 pi]"),
                                    absolute(-14.7, 0, 100 * kPi, "[-100 pi, 100 pi]")};
  std::vector<Function> all;
  add_f32(all, "rcp.approx", 1, reciprocal, {ulp(1)});
  add_f32(all, "sqrt.approx", 1, root, {relative(-23, kNormal, kAll, "normal")});
  add_f32(all, "rsqrt.approx", 1, reciprocal_root, {relative(-22.9, kNormal, kAll, "normal")});
  add_f32(all, "sin.approx", 1, sine, waves);
  add_f32(all, "cos.approx", 1, cosine, waves);
  add_f32(all, "lg2.approx", 1, logarithm,
          {absolute(-22, 0.5, 2, "[0.5, 2]"), relative(-22, kNormal, 0.5, "below 0.5"),
           relative(-22, 2, kAll, "above 2")});
  add_f32(all, "ex2.approx", 1, exponential, {ulp(2)});
  all.push_back({"tanh.approx.f32",
                 FloatType::f32,
                 1,
                 false,
                 tangent,
                 {relative(-11, kNormal, kAll, "normal")}});
  add_f32(all, "div.approx", 2, quotient,
          {ulp(2, kNormal, 0x1p126, "divisors in [2^-126, 2^126]")});
  add_f32(all, "div.full", 2, quotient, {ulp(2, kNormal, kAll, "normal divisors")});
  all.push_back({"ex2.approx.f16",
                 FloatType::f16,
                 1,
                 false,
                 exponential,
                 {relative(-9.9, 0, kAll, "normal results")}});
  all.push_back({"ex2.approx.ftz.bf16",
                 FloatType::bf16,
                 1,
                 true,
                 exponential,
                 {relative(-7, 0, kAll, "normal results")}});
  all.push_back(
      {"tanh.approx.f16", FloatType::f16, 1, false, tangent, {absolute(-10.987, 0, kAll, "all")}});
  all.push_back(
      {"tanh.approx.bf16", FloatType::bf16, 1, false, tangent, {absolute(-8, 0, kAll, "all")}});
  all.push_back({"rcp.approx.ftz.f64",
                 FloatType::f64,
                 1,
                 true,
                 reciprocal,
                 {unbounded(0x1p-1022, "normal")}});
  all.push_back({"rsqrt.approx.f64",
                 FloatType::f64,
                 1,
                 false,
                 reciprocal_root_rounded,
                 {unbounded(0x1p-1022, "normal")}});
  all.push_back({"rsqrt.approx.ftz.f64",
                 FloatType::f64,
                 1,
                 true,
                 reciprocal_root,
                 {unbounded(0x1p-1022, "normal")}});
  return all;
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> kFunctions = make();
  return kFunctions;
}

}  // namespace emulator::testing::numerics
