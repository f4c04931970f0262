#include "notify/hmac.h"

#include <algorithm>
#include <cstddef>

#include "autokernel/base/sha256.h"

namespace autokernel::notify {
namespace {

// SHA-256 works on blocks of so many bytes.
constexpr std::size_t kHmacBlock = 64;
constexpr char kInnerPad = 0x36;
constexpr char kOuterPad = 0x5c;

[[nodiscard]] int value_of_digit(char digit) {
  return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

[[nodiscard]] std::string bytes_of_digits(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(value_of_digit(digits[i]) * 16 + value_of_digit(digits[i + 1]));
  }
  return bytes;
}

[[nodiscard]] std::string padded_with(const std::string& block, char pad) {
  std::string padded = block;
  std::ranges::transform(padded, padded.begin(),
                         [pad](char byte) { return static_cast<char>(byte ^ pad); });
  return padded;
}

}  // namespace

std::string hmac_sha256(std::string_view key, std::string_view message) {
  std::string block = key.size() > kHmacBlock ? bytes_of_digits(sha256(key)) : std::string(key);
  block.resize(kHmacBlock, '\0');
  const std::string inner = bytes_of_digits(sha256(padded_with(block, kInnerPad).append(message)));
  return sha256(padded_with(block, kOuterPad) + inner);
}

}  // namespace autokernel::notify
