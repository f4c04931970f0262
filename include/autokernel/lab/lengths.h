// How many tokens prompts and answers are to have: one number, or a distribution to draw from.
#pragma once

#include <cstdint>
#include <string>

namespace autokernel::lab {

class LengthDistribution {
 public:
  // One token.
  LengthDistribution() = default;

  // Reads "128" (always that), "64:256" (uniform, both ends included), or "lognormal:128:0.5": the
  // median, and the standard deviation of the natural logarithm, cut off at kLongestLength. Throws
  // Error(usage) that names `option` for anything else, and for lengths below 1 or above
  // kLongestLength.
  [[nodiscard]] static LengthDistribution parse(const std::string& text, const std::string& option);

  // The length for a number, any number giving the same each time.
  [[nodiscard]] std::size_t draw(std::uint64_t seed) const;
  // As it was read.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  enum class Kind : std::uint8_t { uniform, lognormal };
  Kind kind_ = Kind::uniform;
  double first_ = 1;   // least, or median
  double second_ = 1;  // most, or standard deviation of the logarithm
  std::string text_ = "1";
};

// Longer than the context of any model, and short enough for memory.
inline constexpr std::size_t kLongestLength = 1'000'000;

}  // namespace autokernel::lab
