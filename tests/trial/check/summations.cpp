#include "trial/check/summations.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "trial/inputs/conversion.h"

namespace autokernel::trial {
namespace {

using Factors = std::span<const float>;

float cut_off(double value) {
  const auto nearest = static_cast<float>(value);
  const bool is_beyond = std::fabs(static_cast<double>(nearest)) > std::fabs(value);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(nearest) - (is_beyond ? 1U : 0U));
}

// a * b + c, rounded once but for a rare tie.
float fused(float a, float b, float c) {
  return static_cast<float>(static_cast<double>(a) * b + c);
}

float in_order(Factors left, Factors right) {
  float sum = 0;
  for (std::size_t k = 0; k < left.size(); ++k) sum = fused(left[k], right[k], sum);
  return sum;
}

float unfused(Factors left, Factors right) {
  float sum = 0;
  for (std::size_t k = 0; k < left.size(); ++k) {
    const volatile float product = left[k] * right[k];  // not to be fused by the compiler
    sum += product;
  }
  return sum;
}

float reversed(Factors left, Factors right) {
  float sum = 0;
  for (std::size_t k = left.size(); k-- > 0;) sum = fused(left[k], right[k], sum);
  return sum;
}

float tree(Factors left, Factors right) {
  if (left.size() == 1) return left[0] * right[0];
  const std::size_t half = left.size() / 2;
  return tree(left.first(half), right.first(half)) + tree(left.subspan(half), right.subspan(half));
}

// Partial sums of stretches of K, added up in order.
Summation in_blocks(std::size_t length) {
  return [length](Factors left, Factors right) {
    float sum = 0;
    for (std::size_t k = 0; k < left.size(); k += length) {
      const std::size_t count = std::min(length, left.size() - k);
      sum += in_order(left.subspan(k, count), right.subspan(k, count));
    }
    return sum;
  };
}

Summation split(std::size_t parts) {
  return
      [parts](Factors left, Factors right) { return in_blocks(left.size() / parts)(left, right); };
}

// Each lane of a warp takes every 32nd product; then they are added up by halves.
float by_lanes(Factors left, Factors right) {
  std::vector<float> lanes(32);
  for (std::size_t k = 0; k < left.size(); ++k) {
    lanes[k % 32] = fused(left[k], right[k], lanes[k % 32]);
  }
  for (std::size_t offset = 16; offset > 0; offset /= 2) {
    for (std::size_t i = 0; i < offset; ++i) lanes[i] += lanes[i + offset];
  }
  return lanes[0];
}

float kahan(Factors left, Factors right) {
  volatile float sum = 0;
  volatile float lost = 0;
  for (std::size_t k = 0; k < left.size(); ++k) {
    const volatile float term = fused(left[k], right[k], -lost);
    const volatile float next = sum + term;
    const volatile float added = next - sum;
    lost = added - term;
    sum = next;
  }
  return sum;
}

// So many products at a time, exactly, and then cut off: what tensor cores do.
Summation on_tensor_cores(std::size_t at_a_time) {
  return [at_a_time](Factors left, Factors right) {
    float sum = 0;
    for (std::size_t k = 0; k < left.size(); k += at_a_time) {
      double products = sum;
      for (std::size_t i = k; i < std::min(k + at_a_time, left.size()); ++i) {
        products += static_cast<double>(left[i]) * right[i];
      }
      sum = cut_off(products);
    }
    return sum;
  };
}

// Rounded to so many digits, the leading one included.
float rounded(float value, int digits) {
  if (value == 0) return 0;
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, digits)), exponent - digits);
}
float cut(float value, int digits) {
  if (value == 0) return 0;
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);
  return std::ldexp(std::trunc(std::ldexp(fraction, digits)), exponent - digits);
}

constexpr int kTf32Digits = 11;
constexpr int kBf16Digits = 8;
constexpr int kF16Digits = 11;
constexpr int kE4m3Digits = 4;
constexpr int kE5m2Digits = 3;

Summation with_inputs(const std::function<float(float)>& narrowed) {
  return [narrowed](Factors left, Factors right) {
    float sum = 0;
    for (std::size_t k = 0; k < left.size(); ++k) {
      sum = fused(narrowed(left[k]), narrowed(right[k]), sum);
    }
    return sum;
  };
}
Summation with_digits(int digits) {
  return with_inputs([digits](float value) { return rounded(value, digits); });
}

// The sum itself has so many digits after each step of that many products.
Summation accumulating(int digits, std::size_t at_a_time) {
  return [digits, at_a_time](Factors left, Factors right) {
    float sum = 0;
    for (std::size_t k = 0; k < left.size(); k += at_a_time) {
      const std::size_t count = std::min(at_a_time, left.size() - k);
      sum = rounded(sum + in_order(left.subspan(k, count), right.subspan(k, count)), digits);
    }
    return sum;
  };
}

Summation without_last(std::size_t left_out, double mean) {
  return [left_out, mean](Factors left, Factors right) {
    const std::size_t count = left.size() - left_out;
    return in_order(left.first(count), right.first(count)) +
           static_cast<float>(mean * static_cast<double>(left_out));
  };
}

}  // namespace

std::vector<NamedSummation> honest_summations(cases::DType inputs) {
  std::vector<NamedSummation> all = {
      {"in order", in_order},           {"unfused", unfused},
      {"reversed", reversed},           {"a tree", tree},
      {"in blocks of 8", in_blocks(8)}, {"in blocks of 64", in_blocks(64)},
      {"split in 4", split(4)},         {"split in 32", split(32)},
      {"by lanes", by_lanes},           {"Kahan", kahan},
  };
  if (inputs == cases::DType::f32) return all;
  all.push_back({"on tensor cores, 4 at a time", on_tensor_cores(4)});
  all.push_back({"on tensor cores, 8 at a time", on_tensor_cores(8)});
  all.push_back({"on tensor cores, 16 at a time", on_tensor_cores(16)});
  return all;
}

std::vector<NamedSummation> reduced_summations(cases::DType inputs, double mean) {
  std::vector<NamedSummation> all = {
      {"the last 16 left out", without_last(16, 0)},
      {"the last 20 left out, and their mean added", without_last(20, mean)},
      {"added up in f16", accumulating(kF16Digits, 1)},
      {"quarters added up in bf16",
       [](Factors left, Factors right) {
         return accumulating(kBf16Digits, left.size() / 4)(left, right);
       }},
      {"in e4m3", with_digits(kE4m3Digits)},
      {"in e5m2", with_digits(kE5m2Digits)},
  };
  if (inputs != cases::DType::f32) return all;
  all.push_back({"in tf32", with_digits(kTf32Digits)});
  all.push_back(
      {"in tf32, cut off", with_inputs([](float value) { return cut(value, kTf32Digits); })});
  all.push_back({"in bf16", with_digits(kBf16Digits)});
  return all;
}

}  // namespace autokernel::trial
