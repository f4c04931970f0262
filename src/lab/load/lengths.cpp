#include "autokernel/lab/lengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/number.h"
#include "lab/random_bits.h"

namespace autokernel::lab {
namespace {

constexpr std::string_view kLognormalWord = "lognormal:";
// e^3 is a factor of 20 for each standard deviation; beyond it the mean says nothing.
constexpr double kWidestLognormal = 3;

template <typename Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text) {
  Number value{};
  return read_number(text, value) ? std::optional(value) : std::nullopt;
}

[[nodiscard]] std::optional<double> length_in(std::string_view text) {
  const auto length = number_in<std::size_t>(text);
  if (!length || *length < 1 || *length > kLongestLength) return {};
  return static_cast<double>(*length);
}

}  // namespace

LengthDistribution LengthDistribution::parse(const std::string& text, const std::string& option) {
  LengthDistribution lengths;
  lengths.text_ = text;
  std::string_view rest = text;
  const bool is_lognormal = rest.starts_with(kLognormalWord);
  if (is_lognormal) rest.remove_prefix(kLognormalWord.size());
  const std::size_t colon = rest.find(':');
  const bool is_pair = colon != std::string_view::npos;
  const double first = length_in(rest.substr(0, colon)).value_or(0);
  double second = first;
  bool is_valid = first > 0 && (is_pair || !is_lognormal);
  if (is_lognormal) {
    lengths.kind_ = Kind::lognormal;
    if (is_pair) second = number_in<double>(rest.substr(colon + 1)).value_or(-1);
    is_valid = is_valid && second >= 0 && second <= kWidestLognormal;
  } else if (is_pair) {
    second = length_in(rest.substr(colon + 1)).value_or(0);
    is_valid = is_valid && second >= first;
  }
  if (!is_valid) {
    throw Error(Stop::usage,
                fmt::format("cannot read the length '{}': {} takes 128, 64:256 (uniform) or "
                            "lognormal:128:0.5 (median, standard deviation of the logarithm up to "
                            "3), from 1 to {} tokens",
                            text, option, kLongestLength));
  }
  lengths.first_ = first;
  lengths.second_ = second;
  return lengths;
}

std::size_t LengthDistribution::draw(std::uint64_t seed) const {
  RandomBits random(seed);
  if (kind_ == Kind::uniform) {
    const auto least = static_cast<std::uint64_t>(first_);
    return least + random.below(static_cast<std::uint64_t>(second_) - least + 1);
  }
  const double length = std::round(first_ * std::exp(second_ * random.normal()));
  return static_cast<std::size_t>(std::clamp(length, 1.0, static_cast<double>(kLongestLength)));
}

}  // namespace autokernel::lab
