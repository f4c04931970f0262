#include "trial/check/compare_tensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <mutex>

#include "autokernel/base/parallel.h"
#include "trial/inputs/conversion.h"
#include "trial/inputs/element_text.h"

namespace autokernel::trial {
namespace {

constexpr std::size_t kChunk = 1024;
constexpr std::uint32_t kInfinityBits = 0x7f800000;

// The relative error of an element near zero says nothing, since its absolute error is that of its
// summands. It is taken of the value at which the absolute and the relative tolerance are the same,
// or of the element if larger.
double relative_floor(const Closeness& closeness) {
  const cases::Tolerance& tolerance = closeness.tolerance;
  return tolerance.relative > 0 ? tolerance.absolute / tolerance.relative : 0;
}

// A first look in float, without branches so that it vectorises: whether all of a chunk is clearly
// equal, and its largest differences. Positive floats are ordered like their bits, and the bits of
// NaN come last.
struct Glance {
  bool equal = false;
  float max_abs = 0;
  float max_rel = 0;
};
Glance glance(std::span<const float> got, std::span<const float> expected,
              const Closeness& closeness, double floor) {
  // A little less than is allowed: what lies between is left to the exact look.
  constexpr double kClearly = 0.99999;
  const bool bits = closeness.kind == Closeness::Kind::bits;
  const auto absolute = bits ? 0.0F : static_cast<float>(closeness.tolerance.absolute * kClearly);
  const auto relative = bits ? 0.0F : static_cast<float>(closeness.tolerance.relative * kClearly);
  const auto least = std::max(static_cast<float>(floor), 1e-30F);
  std::uint32_t doubtful = 0;
  std::uint32_t max_abs = 0;
  std::uint32_t max_rel = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const float size = std::fabs(expected[i]);
    const float difference = std::fabs(got[i] - expected[i]);
    // Zero only for what is clearly equal: false for NaN, which infinities make here too.
    doubtful |= difference <= absolute + relative * size ? 0U : 1U;
    max_abs = std::max(max_abs, std::bit_cast<std::uint32_t>(difference));
    max_rel =
        std::max(max_rel, std::bit_cast<std::uint32_t>(difference / (size > least ? size : least)));
  }
  const bool finite = max_abs < kInfinityBits && max_rel < kInfinityBits;
  return {doubtful == 0 && finite, std::bit_cast<float>(max_abs), std::bit_cast<float>(max_rel)};
}

bool is_close(double got, double expected, double magnitude, const Closeness& closeness) {
  if (!std::isfinite(got) || !std::isfinite(expected)) return false;
  if (closeness.kind == Closeness::Kind::bits) return got == expected;
  return std::fabs(got - expected) <=
         closeness.tolerance.allowed(expected) + closeness.factor * magnitude;
}

// The exact look at [begin, end), element by element in double, which holds the values of all types
// but i64.
void examine(cases::DType dtype, std::span<const std::byte> got,
             std::span<const std::byte> expected, std::size_t begin, std::size_t end,
             const Closeness& closeness, Comparison& comparison) {
  const double floor = relative_floor(closeness);
  const std::size_t element = cases::size_of(dtype);
  const bool is_whole = closeness.kind == Closeness::Kind::bits && !cases::is_floating(dtype);
  for (std::size_t i = begin; i < end; ++i) {
    const double is = value_at(dtype, got, i);
    const double should = value_at(dtype, expected, i);
    const double difference = std::fabs(is - should);
    comparison.all_finite &= std::isfinite(should);
    if (std::isfinite(difference)) {
      comparison.differences.max_abs = std::max(comparison.differences.max_abs, difference);
      const double against = std::max(std::fabs(should), floor);
      if (against > 0)
        comparison.differences.max_rel =
            std::max(comparison.differences.max_rel, difference / against);
    }
    const double magnitude =
        closeness.magnitudes.empty() ? 0 : static_cast<double>(closeness.magnitudes[i]);
    const std::size_t at = i * element;
    if (is_whole ? std::memcmp(&got[at], &expected[at], element) == 0
                 : is_close(is, should, magnitude, closeness)) {
      continue;
    }
    if (comparison.differing++ == 0) comparison.first = i;
    if (!std::isfinite(is)) ++comparison.not_finite;
    if (std::isfinite(difference)) comparison.largest = std::max(comparison.largest, difference);
  }
}

// The elements of chunks [first, end), a glance each and an exact look where that is not enough.
Comparison compare_chunks(cases::DType dtype, std::span<const std::byte> got,
                          std::span<const std::byte> expected, const Closeness& closeness,
                          std::size_t first, std::size_t end) {
  const std::size_t element = cases::size_of(dtype);
  Comparison comparison;
  const std::size_t count = std::min(end * kChunk, got.size() / element);
  const double floor = relative_floor(closeness);
  const bool fits_float = cases::fits_float(dtype);
  std::array<float, kChunk> is{};
  std::array<float, kChunk> should{};
  for (std::size_t begin = first * kChunk; begin < count; begin += kChunk) {
    const std::size_t length = std::min<std::size_t>(kChunk, count - begin);
    if (fits_float) {
      to_floats(dtype, got.subspan(begin * element, length * element), std::span(is).first(length));
      to_floats(dtype, expected.subspan(begin * element, length * element),
                std::span(should).first(length));
      const Glance seen =
          glance(std::span(is).first(length), std::span(should).first(length), closeness, floor);
      if (seen.equal) {
        comparison.differences.max_abs =
            std::max(comparison.differences.max_abs, static_cast<double>(seen.max_abs));
        comparison.differences.max_rel =
            std::max(comparison.differences.max_rel, static_cast<double>(seen.max_rel));
        continue;
      }
    }
    examine(dtype, got, expected, begin, begin + length, closeness, comparison);
  }
  return comparison;
}

void merge(Comparison& all, const Comparison& part) {
  if (part.differing > 0)
    all.first = all.differing > 0 ? std::min(all.first, part.first) : part.first;
  all.differing += part.differing;
  all.not_finite += part.not_finite;
  all.largest = std::max(all.largest, part.largest);
  all.all_finite &= part.all_finite;
  all.differences.max_abs = std::max(all.differences.max_abs, part.differences.max_abs);
  all.differences.max_rel = std::max(all.differences.max_rel, part.differences.max_rel);
}

}  // namespace

Comparison compare(cases::DType dtype, std::span<const std::byte> got,
                   std::span<const std::byte> expected, const Closeness& closeness) {
  Comparison comparison;
  comparison.count = got.size() / cases::size_of(dtype);
  std::mutex merging;
  in_parallel((comparison.count + kChunk - 1) / kChunk, kChunk,
              [&](std::size_t first, std::size_t end) {
                const Comparison part = compare_chunks(dtype, got, expected, closeness, first, end);
                const std::scoped_lock lock(merging);
                merge(comparison, part);
              });
  return comparison;
}

}  // namespace autokernel::trial
