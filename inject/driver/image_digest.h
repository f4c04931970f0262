// By which code is known again in another run of the program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace autokernel::inject {

// 128 bits as hexadecimal digits: FNV-1a over words of eight bytes, twice with different primes. It
// tells programs apart that were not made to look alike; a captured case's code itself has a
// SHA-256.
[[nodiscard]] inline std::string image_digest(std::string_view image) {
  constexpr std::uint64_t kBasis = 0xCBF29CE484222325;
  constexpr std::array<std::uint64_t, 2> kPrimes = {0x100000001B3, 0x9E3779B97F4A7C15};
  std::array<std::uint64_t, 2> hashes = {kBasis ^ image.size(), ~kBasis ^ image.size()};
  while (!image.empty()) {
    std::uint64_t word = 0;
    const std::size_t bytes = image.size() < sizeof word ? image.size() : sizeof word;
    std::memcpy(&word, image.data(), bytes);
    image.remove_prefix(bytes);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      hashes[i] = (hashes[i] ^ word) * kPrimes[i];
      hashes[i] ^= hashes[i] >> 32U;
    }
  }
  std::array<char, 33> text{};
  (void)std::snprintf(text.data(), text.size(), "%016llx%016llx",
                      static_cast<unsigned long long>(hashes[0]),
                      static_cast<unsigned long long>(hashes[1]));
  return text.data();
}

}  // namespace autokernel::inject
