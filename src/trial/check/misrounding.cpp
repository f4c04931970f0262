#include "trial/check/misrounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "autokernel/base/probability.h"
#include "trial/inputs/element_text.h"

namespace autokernel::trial {
namespace {

// So many times the errors of the crudest honest sum, or of the library's, are let pass. One would
// do for what is known of the hardware; the second is room for what is not.
constexpr double kFactor = 2;

// The probability of refusing a sum that uses up all of that. Millions of launches are judged.
constexpr double kChance = 1e-9;

// How far a value as near as can be may be from the right one, relative to the step: half of it.
// The rest is room for the rounding of the right value itself.
constexpr double kHalfStep = 0.5 + 1e-9;

// A 16-bit floating type.
struct Format {
  int digits;  // of the significand, with the leading one
  int least_exponent;
  double largest;
};
[[nodiscard]] Format format_of(cases::DType dtype) {
  if (dtype == cases::DType::f16) return {11, -14, 65504};
  return {8, -126, 0x1.fep127};
}
// Between the neighbouring values around `value`.
[[nodiscard]] double step_at(double value, const Format& format) {
  int exponent = 0;
  static_cast<void>(std::frexp(value, &exponent));  // value = fraction * 2^exponent, from 1/2 on
  return std::ldexp(1, std::max(exponent - 1, format.least_exponent) - (format.digits - 1));
}

[[nodiscard]] double square(double value) { return value * value; }

[[nodiscard]] Misrounding squares_of(std::span<const std::byte> got,
                                     std::span<const std::byte> library,
                                     const PatchValues& values) {
  Misrounding found;
  for (std::size_t i = 0; i < values.right.size(); ++i) {
    if (values.magnitudes[i] == 0) continue;
    const auto relative = [&](double error) { return square(error / values.magnitudes[i]); };
    ++found.elements;
    found.got += relative(value_at(cases::DType::f32, got, i) - values.right[i]);
    found.library += relative(value_at(cases::DType::f32, library, i) - values.right[i]);
    found.crude += relative(values.error[i]);
  }
  return found;
}

// The sum of `count` squares of normal values over what is expected of it is no more than that
// (Laurent and Massart 2000, lemma 1).
[[nodiscard]] double most_by_chance(std::uint64_t count) {
  const double each = -std::log(kChance) / static_cast<double>(std::max<std::uint64_t>(1, count));
  return 1 + 2 * std::sqrt(each) + 2 * each;
}

// Whether so many events are more than chance brings about where so many are expected.
[[nodiscard]] bool is_beyond_chance(double events, double expected) {
  if (events <= expected) return false;
  return expected == 0 || poisson_upper_tail(events, expected) < kChance;
}

[[nodiscard]] double percent(double events, std::uint64_t elements) {
  constexpr double kPercent = 100;
  return kPercent * events / static_cast<double>(std::max<std::uint64_t>(1, elements));
}
[[nodiscard]] double root_mean(double squares, std::uint64_t elements) {
  return std::sqrt(squares / static_cast<double>(std::max<std::uint64_t>(1, elements)));
}

[[nodiscard]] double allowed_events(const Misrounding& found) {
  return kFactor * std::max(found.crude, found.library);
}
[[nodiscard]] double allowed_squares(const Misrounding& found) {
  return square(kFactor) * std::max(found.crude, found.library) * most_by_chance(found.elements);
}

}  // namespace

Misrounding& Misrounding::operator+=(const Misrounding& other) {
  elements += other.elements;
  got += other.got;
  library += other.library;
  crude += other.crude;
  return *this;
}

Misrounding misrounding_of(cases::DType dtype, std::span<const std::byte> got,
                           std::span<const std::byte> library, const PatchValues& values) {
  if (dtype == cases::DType::f32) return squares_of(got, library, values);
  const Format format = format_of(dtype);
  Misrounding found;
  for (std::size_t i = 0; i < values.right.size(); ++i) {
    const double right = values.right[i];
    if (!(std::fabs(right) < format.largest)) continue;  // overflow is for the tolerance to judge
    const double step = step_at(right, format);
    const auto misrounded = [&](std::span<const std::byte> bytes) {
      return std::fabs(value_at(dtype, bytes, i) - right) <= kHalfStep * step ? 0.0 : 1.0;
    };
    ++found.elements;
    found.got += misrounded(got);
    found.library += misrounded(library);
    // A sum that is off by a tenth of a step rounds to another value one time in ten.
    found.crude += std::min(1.0, values.error[i] / step);
  }
  return found;
}

std::optional<std::string> complaint(cases::DType dtype, const Misrounding& found) {
  if (dtype == cases::DType::f32) {
    if (found.got <= allowed_squares(found)) return std::nullopt;
    return fmt::format(
        "the root mean square error, relative to the magnitudes of the products, is {:.3g}; the "
        "library's is {:.3g}, that of the crudest sum in fp32 {:.3g}, and {:g} times as much is "
        "allowed",
        root_mean(found.got, found.elements), root_mean(found.library, found.elements),
        root_mean(found.crude, found.elements), kFactor);
  }
  if (!is_beyond_chance(found.got, allowed_events(found))) return std::nullopt;
  return fmt::format(
      "{:.3g} % of {} elements are not the right value rounded once; {:.3g} % of the library's are "
      "not, {:.3g} % of the crudest sum in fp32, and {:g} times as many are allowed",
      percent(found.got, found.elements), found.elements, percent(found.library, found.elements),
      percent(found.crude, found.elements), kFactor);
}

bool is_plain_product(cases::DType dtype, const Misrounding& found) {
  return !complaint(dtype, {found.elements, found.library, 0, found.crude});
}

Disagreement disagreement_of(cases::DType dtype, std::span<const std::byte> got,
                             std::span<const std::byte> library) {
  const std::size_t element = cases::size_of(dtype);
  Disagreement found{got.size() / element, 0};
  if (dtype == cases::DType::f32) {
    for (std::size_t i = 0; i < found.elements; ++i) {
      found.differing += square(value_at(dtype, got, i) - value_at(dtype, library, i));
    }
    return found;
  }
  std::uint64_t differing = 0;
  for (std::size_t i = 0; i < got.size(); i += element) {
    std::uint16_t one = 0;
    std::uint16_t other = 0;
    std::memcpy(&one, got.data() + i, sizeof one);
    std::memcpy(&other, library.data() + i, sizeof other);
    constexpr unsigned kMagnitude = 0x7fff;  // zeros of either sign are the same value
    const bool are_zeros = ((one | other) & kMagnitude) == 0;
    differing += one != other && !are_zeros ? 1 : 0;
  }
  found.differing = static_cast<double>(differing);
  return found;
}

std::optional<std::string> complaint(cases::DType dtype, const Disagreement& found,
                                     const Misrounding& sampled, double mean_square) {
  if (sampled.elements == 0) return std::nullopt;
  const double scale = static_cast<double>(found.elements) / static_cast<double>(sampled.elements);
  // The candidate and the library may be wrong at different elements, and in different directions.
  const double librarys = std::max(sampled.library, sampled.crude);
  if (dtype == cases::DType::f32) {
    const double both = std::sqrt(allowed_squares(sampled)) + std::sqrt(librarys);
    const double most = square(both) * scale * mean_square * most_by_chance(found.elements);
    if (found.differing <= most) return std::nullopt;
    return fmt::format(
        "the root mean square of its distance from the library's result is {:.3g}; {:.3g} is what "
        "errors of sums in fp32 allow",
        root_mean(found.differing, found.elements), root_mean(most, found.elements));
  }
  const double most = (allowed_events(sampled) + librarys) * scale;
  if (!is_beyond_chance(found.differing, most)) return std::nullopt;
  return fmt::format(
      "{:.3g} % of {} elements differ from the library's; {:.3g} % is what errors of sums in fp32 "
      "allow",
      percent(found.differing, found.elements), found.elements, percent(most, found.elements));
}

}  // namespace autokernel::trial
