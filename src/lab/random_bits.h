// Pseudorandom numbers that are the same with every compiler and library, which those of <random>'s
// distributions are not.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

namespace autokernel::lab {

// Splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014):
// every seed will do, and neighbouring ones give unrelated numbers.
class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
    return bits ^ (bits >> 31);
  }
  // In [0, 1): the 53 bits that a double has.
  [[nodiscard]] double share() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // In [0, limit), which is above 0. The bias for a limit below 2^32 is less than 2^-32.
  [[nodiscard]] std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  // Exponentially distributed with mean 1, by inversion.
  [[nodiscard]] double exponential() { return -std::log1p(-share()); }
  // Standard normal (Box and Muller 1958): one of the pair, so that a draw takes two numbers.
  [[nodiscard]] double normal() {
    const double radius = std::sqrt(2 * exponential());
    constexpr double kTwoPi = 6.283185307179586;
    return radius * std::cos(kTwoPi * share());
  }

 private:
  std::uint64_t state_;
};

inline constexpr std::uint64_t kHashBasis = 0xcbf29ce484222325ULL;
// FNV-1a, 64 bits (Fowler, Noll, Vo), continued from `hash`.
[[nodiscard]] constexpr std::uint64_t hashed(std::string_view text,
                                             std::uint64_t hash = kHashBasis) {
  for (const char character : text) {
    hash ^= static_cast<unsigned char>(character);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

}  // namespace autokernel::lab
