#include "trial/check/rms_errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "trial/inputs/conversion.h"
#include "trial/inputs/element_text.h"

namespace autokernel::trial {
namespace {

// The nearest value of the type, but for the rare tie that rounding to float makes.
double rounded(cases::DType dtype, double value) {
  const auto single = static_cast<float>(value);
  std::array<std::byte, sizeof(float)> stored{};
  const auto bytes = std::span(stored).first(cases::size_of(dtype));
  from_floats(dtype, std::span(&single, 1), bytes);
  return value_at(dtype, bytes, 0);
}

double squared(double value) { return value * value; }

}  // namespace

double RmsErrors::allowed() const { return kRmsFactor * std::max(reference, rounding); }

RmsErrors rms_errors(cases::DType dtype, std::span<const std::byte> got,
                     std::span<const std::byte> reference, std::span<const double> right) {
  RmsErrors sums;
  for (std::size_t i = 0; i < right.size(); ++i) {
    sums.got += squared(value_at(dtype, got, i) - right[i]);
    sums.reference += squared(value_at(dtype, reference, i) - right[i]);
    sums.rounding += squared(rounded(dtype, right[i]) - right[i]);
  }
  const auto root = [&](double sum) { return std::sqrt(sum / static_cast<double>(right.size())); };
  return {root(sums.got), root(sums.reference), root(sums.rounding)};
}

RightValues right_values(cases::DType dtype, std::span<const std::byte> reference,
                         std::span<const double> right) {
  std::vector<float> singles(right.size());
  std::ranges::transform(right, singles.begin(),
                         [](double value) { return static_cast<float>(value); });
  RightValues values;
  values.rounded.resize(right.size() * cases::size_of(dtype));
  from_floats(dtype, singles, values.rounded);
  for (std::size_t i = 0; i < right.size(); ++i) {
    const double error = std::fabs(value_at(dtype, reference, i) - right[i]);
    // Not std::max, which a NaN would pass by.
    if (!(error <= values.reference_error)) values.reference_error = error;
    if (!std::isfinite(error)) break;
  }
  return values;
}

std::optional<std::uint64_t> first_disagreement(cases::DType dtype,
                                                std::span<const std::byte> reference,
                                                std::span<const double> right,
                                                const cases::Tolerance& tolerance) {
  for (std::size_t i = 0; i < right.size(); ++i) {
    const double distance = std::fabs(value_at(dtype, reference, i) - right[i]);
    // False for NaN too.
    const bool agrees = distance <= tolerance.allowed(right[i]);
    if (!agrees || !std::isfinite(right[i])) return i;
  }
  return std::nullopt;
}

}  // namespace autokernel::trial
