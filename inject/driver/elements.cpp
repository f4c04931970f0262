#include "driver/elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

namespace autokernel::inject {
namespace {

using Element = ReplacedTensor::Element;

// IEEE 754's half precision.
[[nodiscard]] double half(std::uint16_t bits) {
  constexpr int kExponentOfLeast = -24;  // of the least positive one
  const int exponent = (bits >> 10U) & 0x1F;
  const int fraction = bits & 0x3FF;
  double value = std::ldexp(fraction, kExponentOfLeast);
  if (exponent == 0x1F) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent > 0) {
    value = std::ldexp(0x400 + fraction, exponent - 1 + kExponentOfLeast);
  }
  return (bits & 0x8000U) != 0 ? -value : value;
}

template <typename Word>
[[nodiscard]] Word word_at(const Bytes& bytes, std::size_t element) {
  Word word{};
  std::memcpy(&word, bytes.data() + element * sizeof word, sizeof word);
  return word;
}

[[nodiscard]] double value_at(Element type, const Bytes& bytes, std::size_t element) {
  switch (type) {
    case Element::f64:
      return word_at<double>(bytes, element);
    case Element::f32:
      return static_cast<double>(word_at<float>(bytes, element));
    case Element::f16:
      return half(word_at<std::uint16_t>(bytes, element));
    case Element::bf16: {
      constexpr unsigned kShift = 16;
      const auto word = std::uint32_t{word_at<std::uint16_t>(bytes, element)};
      return static_cast<double>(std::bit_cast<float>(word << kShift));
    }
    case Element::bits:
      break;
  }
  return bytes[element];
}

[[nodiscard]] bool is_near(double got, double expected, double allowed) {
  if (std::isnan(expected)) return std::isnan(got);
  if (!std::isfinite(expected)) return got == expected;
  return std::fabs(got - expected) <= allowed;
}

[[nodiscard]] std::size_t count(const ReplacedTensor& tensor, const Bytes& bytes) {
  return tensor.element == Element::bits ? bytes.size() : bytes.size() / tensor.element_bytes;
}

template <typename Word>
void move(Element type, Bytes& bytes, Move how, unsigned seed) {
  std::minstd_rand random(seed);
  for (std::size_t i = 0; i < bytes.size() / sizeof(Word); ++i) {
    const bool away = how == Move::at_random ? (random() & 0x10000U) != 0 : how == Move::up;
    const auto word = word_at<Word>(bytes, i);
    constexpr auto kMagnitude = static_cast<Word>(static_cast<Word>(~Word{0}) >> 1U);
    if ((word & kMagnitude) == 0 || !std::isfinite(value_at(type, bytes, i))) continue;
    const auto moved = static_cast<Word>(away ? word + 1U : word - 1U);
    std::memcpy(bytes.data() + i * sizeof moved, &moved, sizeof moved);
    if (std::isfinite(value_at(type, bytes, i))) continue;
    std::memcpy(bytes.data() + i * sizeof word, &word, sizeof word);
  }
}

}  // namespace

double element_value(const ReplacedTensor& tensor, const Bytes& bytes, std::size_t element) {
  return value_at(tensor.element, bytes, element);
}

std::optional<Difference> first_difference(const ReplacedTensor& tensor, const Bytes& got,
                                           const Bytes& expected,
                                           const std::vector<double>& allowed) {
  if (got == expected) return std::nullopt;
  for (std::size_t i = 0; i < count(tensor, expected); ++i) {
    const double right = value_at(tensor.element, expected, i);
    const double ours = value_at(tensor.element, got, i);
    double most = 0;
    if (tensor.element != Element::bits) {
      most = tensor.absolute + tensor.relative * std::fabs(right);
      if (i < allowed.size())
        most = std::max(most, allowed[i] + tensor.relative * std::fabs(right));
    }
    if (!is_near(ours, right, most)) return Difference{i, ours, right};
  }
  return std::nullopt;
}

void add_distances(const ReplacedTensor& tensor, const Bytes& one, const Bytes& other,
                   std::vector<double>& largest) {
  largest.resize(count(tensor, one));
  for (std::size_t i = 0; i < largest.size(); ++i) {
    const double distance =
        std::fabs(value_at(tensor.element, one, i) - value_at(tensor.element, other, i));
    if (std::isfinite(distance)) largest[i] = std::max(largest[i], distance);
  }
}

std::vector<double> allowances(const std::vector<double>& distances) {
  if (distances.empty()) return {};
  std::vector<double> sorted = distances;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  // Twice, as a case allows; and as much again for what is usual.
  constexpr double kTimes = 2;
  std::vector<double> allowed;
  allowed.reserve(distances.size());
  for (const double distance : distances) allowed.push_back(kTimes * (distance + *middle));
  return allowed;
}

double median_size(const ReplacedTensor& tensor, const Bytes& bytes) {
  std::vector<double> sizes;
  for (std::size_t i = 0; i < count(tensor, bytes); ++i) {
    const double size = std::fabs(value_at(tensor.element, bytes, i));
    if (std::isfinite(size) && size != 0) sizes.push_back(size);
  }
  if (sizes.empty()) return 0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::ranges::nth_element(sizes, middle);
  return *middle;
}

void move_by_one_place(const ReplacedTensor& tensor, Bytes& bytes, Move how, unsigned seed) {
  switch (tensor.element) {
    case Element::f64:
      return move<std::uint64_t>(Element::f64, bytes, how, seed);
    case Element::f32:
      return move<std::uint32_t>(Element::f32, bytes, how, seed);
    case Element::f16:
    case Element::bf16:
      return move<std::uint16_t>(tensor.element, bytes, how, seed);
    case Element::bits:
      return;
  }
}

}  // namespace autokernel::inject
