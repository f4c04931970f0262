#include "numerics/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>

#include "lower/reference_floats.h"
#include "support/kernel_run.h"

namespace emulator::testing::numerics {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr Format kF64{53, -1022, std::numeric_limits<double>::max()};

const Format& format_of(FloatType type) {
  switch (type) {
    case FloatType::f16:
      return kF16;
    case FloatType::bf16:
      return kBf16;
    case FloatType::f32:
      return kF32;
    case FloatType::f64:
      break;
  }
  return kF64;
}
double number(FloatType type, std::uint64_t bits) {
  switch (type) {
    case FloatType::f16:
      return f16(bits);
    case FloatType::bf16:
      return bf16(bits);
    case FloatType::f32:
      return f32(bits);
    case FloatType::f64:
      break;
  }
  return f64(bits);
}
bool is_wide(FloatType type) { return type == FloatType::f64; }

// The kernel of one operand, or two, and one result a thread, in words of the width that holds one.
std::string kernel_of(const Function& function) {
  const bool wide = is_wide(function.type);
  const bool half = function.type == FloatType::f16 || function.type == FloatType::bf16;
  const char* const word = wide ? "u64" : "u32";
  const unsigned bytes = wide ? 8 : 4;
  const char* const type = half ? "b16" : (wide ? "f64" : "f32");
  std::string load;
  for (unsigned i = 0; i < function.operands; ++i) {
    load += fmt::format("ld.global.{0} %w, [%in+{1}];\n", word, i * bytes);
    load += half ? fmt::format("cvt.u16.u32 %x{}, %w;\n", i)
                 : fmt::format("mov.b{} %x{}, %w;\n", bytes * 8, i);
  }
  return fmt::format(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 k_in, .param .u64 k_out)\n{{\n"
      ".reg .b32 %r<4>; .reg .b64 %in, %out; .reg .{word} %w; .reg .{type} %x<2>, %y;\n"
      "ld.param.u64 %in, [k_in]; ld.param.u64 %out, [k_out];\n"
      "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %r0, {threads}, %r1;\n"
      "mad.wide.u32 %in, %r2, {in}, %in; mad.wide.u32 %out, %r2, {bytes}, %out;\n{load}"
      "{name} %y, %x0{second};\n{back}st.global.{word} [%out], %w;\nret;\n}}\n",
      fmt::arg("word", word), fmt::arg("type", type), fmt::arg("threads", kThreads),
      fmt::arg("in", bytes * function.operands), fmt::arg("bytes", bytes), fmt::arg("load", load),
      fmt::arg("name", function.name), fmt::arg("second", function.operands == 2 ? ", %x1" : ""),
      fmt::arg("back", half ? std::string("cvt.u32.u16 %w, %y;\n")
                            : fmt::format("mov.b{} %w, %y;\n", bytes * 8)));
}

// The distance of neighbouring numbers of the format there.
double spacing(double value, const Format& format) {
  const int exponent =
      value == 0 ? format.lowest_exponent : std::max(std::ilogb(value), format.lowest_exponent);
  return std::ldexp(1, exponent - format.digits + 1);
}

double error_of(Measure measure, double got, double exact, const Format& format) {
  const double difference = std::abs(got - exact);
  switch (measure) {
    case Measure::ulp:
      return difference / spacing(exact, format);
    case Measure::relative:
      return difference == 0 ? 0 : difference / std::abs(exact);
    case Measure::absolute:
      break;
  }
  return difference;
}

bool is_subnormal(double value, const Format& format) {
  return value != 0 && std::abs(value) < std::ldexp(1, format.lowest_exponent);
}

}  // namespace

Measurement::Measurement(const Function& function)
    : function_(function), worst_(function.bounds.size()) {}

void Measurement::add(const std::vector<Arguments>& operands) {
  const FloatType type = function_.type;
  const Format& format = format_of(type);
  const auto flushed = [&](double value) {
    return function_.flushes && is_subnormal(value, format) ? std::copysign(0.0, value) : value;
  };
  std::vector<std::uint32_t> words;
  std::vector<double> a;
  std::vector<double> b;
  const auto put = [&](std::uint64_t bits) {
    words.push_back(static_cast<std::uint32_t>(bits));
    if (is_wide(type)) words.push_back(static_cast<std::uint32_t>(bits >> 32));
  };
  for (const Arguments& one : operands) {
    put(one.a);
    if (function_.operands == 2) put(one.b);
    // NaN is judged by itself.
    const auto plain = [&](std::uint64_t bits) {
      const double value = flushed(number(type, bits));
      return std::isnan(value) ? 1 : value;
    };
    a.push_back(plain(one.a));
    b.push_back(plain(one.b));
  }
  std::vector<double> exact(operands.size());
  function_.exact(a, b, exact);
  const auto blocks = static_cast<std::uint32_t>((operands.size() + kThreads - 1) / kThreads);
  const std::size_t per_result = is_wide(type) ? 2 : 1;
  words.resize(std::size_t{blocks} * kThreads * per_result * function_.operands);
  const Outcome outcome =
      run_kernel(kernel_of(function_), words, std::size_t{blocks} * kThreads * per_result,
                 {.grid = {blocks, 1, 1}, .block = {kThreads, 1, 1}});
  if (!outcome.fault.empty()) throw std::runtime_error(function_.name + ": " + outcome.fault);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::uint64_t result =
        is_wide(type) ? outcome.words[2 * i] | std::uint64_t{outcome.words[2 * i + 1]} << 32
                      : outcome.words[i];
    judge(operands[i], function_.operands == 2 ? b[i] : a[i], exact[i], result);
  }
  count_ += operands.size();
}

void Measurement::judge(const Arguments& operands, double last, double exact,
                        std::uint64_t result) {
  const Format& format = format_of(function_.type);
  double got = number(function_.type, result);
  const bool nan = std::isnan(number(function_.type, operands.a)) ||
                   (function_.operands == 2 && std::isnan(number(function_.type, operands.b))) ||
                   std::isnan(exact);
  // Infinity stands for what the format would go on with.
  const double beyond = std::ldexp(1, std::ilogb(format.largest)) * 2;
  const bool overflows = std::abs(exact) >= beyond;
  const bool near_overflow = std::abs(exact) >= format.largest;
  if (nan || std::isnan(got) || overflows || (std::isinf(got) && !near_overflow)) {
    const bool right =
        nan ? std::isnan(got) : std::isinf(got) && std::signbit(got) == std::signbit(exact);
    // A bound may allow infinity for what is just below it and the largest for what is above.
    const bool allowed = !nan && overflows && std::isfinite(got) &&
                         std::abs(got) == format.largest &&
                         std::abs(exact) < beyond * (1 + 0x1p-20);
    // Operands outside of every range may give what they like.
    const bool asked = std::ranges::any_of(function_.bounds, [&](const Bound& bound) {
      return nan || (std::abs(last) >= bound.low && std::abs(last) <= bound.high);
    });
    if (!right && !allowed && asked) {
      if (wrong_++ == 0) wrong_at_ = operands;
    }
    return;
  }
  if (std::isinf(got)) got = std::copysign(beyond, got);
  // Where results are flushed, a subnormal one may be zero.
  if (is_subnormal(exact, format) && function_.flushes && got == 0) return;
  for (std::size_t i = 0; i < function_.bounds.size(); ++i) {
    const Bound& bound = function_.bounds[i];
    if (std::abs(last) < bound.low || std::abs(last) > bound.high) continue;
    if (bound.measure == Measure::relative && is_subnormal(exact, format)) continue;
    const double error = error_of(bound.measure, got, exact, format);
    if (error > worst_[i].error) worst_[i] = {error, operands};
  }
}

std::uint64_t operand_count(const Function& function, std::uint64_t stride) {
  const bool half = function.type == FloatType::f16 || function.type == FloatType::bf16;
  if (half) return 0x10000;
  return (std::uint64_t{1} << 32) / stride;
}

std::vector<Arguments> operands(const Function& function, std::uint64_t stride, std::uint64_t first,
                                std::uint64_t count) {
  std::vector<Arguments> all(count);
  if (function.operands == 1 && !is_wide(function.type)) {
    const bool half = function.type != FloatType::f32;
    for (std::uint64_t i = 0; i < count; ++i) all[i].a = (first + i) * (half ? 1 : stride);
    return all;
  }
  std::mt19937_64 random(first);
  const auto edges = is_wide(function.type) ? f64_edges() : f32_edges();
  const unsigned bits = is_wide(function.type) ? 64 : 32;
  const auto one = [&]() -> std::uint64_t {
    const std::uint64_t word = random();
    return (word & 0xfU) == 0 ? edges[(word >> 8) % edges.size()] : word >> (64 - bits);
  };
  for (Arguments& arguments : all) arguments = {one(), one()};
  return all;
}

}  // namespace emulator::testing::numerics
