#include "numerics/functions.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "numerics/exact.h"

namespace emulator::testing::numerics {
namespace {

constexpr double kAll = std::numeric_limits<double>::infinity();
constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kNormal = 0x1p-126;
constexpr double kPi = std::numbers::pi;

Bound ulp(double most, double low = 0, double high = kAll, const char* where = "all") {
  return {Measure::ulp, most, low, high, where};
}
Bound relative(double exponent, double low = 0, double high = kAll, const char* where = "all") {
  return {Measure::relative, std::exp2(exponent), low, high, where};
}
Bound absolute(double exponent, double low = 0, double high = kAll, const char* where = "all") {
  return {Measure::absolute, std::exp2(exponent), low, high, where};
}
// Of normal operands: what .ftz does not take for zero.
Bound unbounded() { return {Measure::relative, kUnbounded, 0x1p-1022, kAll, "normal"}; }

// For f64, rounded once from more digits; not in exact.cpp, where the compiler may do with fewer.
void reciprocal_root_rounded(Numbers a, Numbers /*unused*/, Values values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(1 / std::sqrt(static_cast<long double>(a[i])));
  }
}

// Sections of the PTX ISA 9.4, "Floating Point Instructions" and "Half Precision Floating Point
// Instructions", which name the bounds.
constexpr const char* kDiv = "9.7.3.8";
constexpr const char* kRcp = "9.7.3.13";
constexpr const char* kRcp64 = "9.7.3.14";
constexpr const char* kSqrt = "9.7.3.15";
constexpr const char* kRsqrt = "9.7.3.16";
constexpr const char* kRsqrt64 = "9.7.3.17";
constexpr const char* kSin = "9.7.3.18";
constexpr const char* kCos = "9.7.3.19";
constexpr const char* kLg2 = "9.7.3.20";
constexpr const char* kEx2 = "9.7.3.21";
constexpr const char* kTanh = "9.7.3.22";
constexpr const char* kHalfTanh = "9.7.4.9";
constexpr const char* kHalfEx2 = "9.7.4.10";

// With and without .ftz.
void add_f32(std::vector<Function>& all, const std::string& word, unsigned operands, Exact exact,
             const char* section, const std::vector<Bound>& bounds) {
  all.push_back({word + ".f32", FloatType::f32, operands, false, exact, section, bounds});
  all.push_back({word + ".ftz.f32", FloatType::f32, operands, true, exact, section, bounds});
}
void add_one(std::vector<Function>& all, const std::string& word, FloatType type, bool flushes,
             Exact exact, const char* section, const Bound& bound) {
  all.push_back({word, type, 1, flushes, exact, section, {bound}});
}

std::vector<Function> make() {
  const Bound far_waves = absolute(-14.7, 0, 100 * kPi, "[-100 pi, 100 pi]");
  std::vector<Function> all;
  add_f32(all, "rcp.approx", 1, reciprocal, kRcp, {ulp(1)});
  add_f32(all, "sqrt.approx", 1, root, kSqrt, {relative(-23)});
  add_f32(all, "rsqrt.approx", 1, reciprocal_root, kRsqrt, {relative(-22.9)});
  add_f32(all, "sin.approx", 1, sine, kSin,
          {absolute(-20.5, 0, 2 * kPi, "[-2 pi, 2 pi]"), far_waves});
  add_f32(all, "cos.approx", 1, cosine, kCos,
          {absolute(-20.4, 0, 2 * kPi, "[-2 pi, 2 pi]"), far_waves});
  add_f32(all, "lg2.approx", 1, logarithm, kLg2,
          {absolute(-22, 0.5, 2, "(0.5, 2)"), relative(-22, 0, 0.5, "to 0.5"),
           relative(-22, 2, kAll, "from 2 on")});
  add_f32(all, "ex2.approx", 1, exponential, kEx2, {ulp(2)});
  add_one(all, "tanh.approx.f32", FloatType::f32, false, tangent, kTanh, relative(-11));
  add_f32(all, "div.approx", 2, quotient, kDiv,
          {ulp(2, kNormal, 0x1p126, "divisors in [2^-126, 2^126]")});
  add_f32(all, "div.full", 2, quotient, kDiv, {ulp(2)});
  add_one(all, "ex2.approx.f16", FloatType::f16, false, exponential, kHalfEx2, relative(-9.9));
  add_one(all, "ex2.approx.ftz.bf16", FloatType::bf16, true, exponential, kHalfEx2, relative(-7));
  add_one(all, "tanh.approx.f16", FloatType::f16, false, tangent, kHalfTanh, absolute(-10.987));
  add_one(all, "tanh.approx.bf16", FloatType::bf16, false, tangent, kHalfTanh, absolute(-8));
  add_one(all, "rcp.approx.ftz.f64", FloatType::f64, true, reciprocal, kRcp64, unbounded());
  add_one(all, "rsqrt.approx.f64", FloatType::f64, false, reciprocal_root_rounded, kRsqrt,
          unbounded());
  add_one(all, "rsqrt.approx.ftz.f64", FloatType::f64, true, reciprocal_root, kRsqrt64,
          unbounded());
  return all;
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> kFunctions = make();
  return kFunctions;
}

}  // namespace emulator::testing::numerics
