// SHA-256 (FIPS 180-4), for what must not be forged by anybody who can choose both texts. Written
// out here: of the libraries that are linked none offers it, and it is not worth one more.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace autokernel {

class Sha256 {
 public:
  void add(std::string_view bytes);
  // 64 hexadecimal digits, of all that was added; nothing may be added afterwards.
  [[nodiscard]] std::string digits();

 private:
  static constexpr std::size_t kBlock = 64;

  void take(const unsigned char* block);

  // FIPS 180-4, 5.3.3: the square roots of the first eight primes.
  std::array<std::uint32_t, 8> state_ = {0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                                         0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};
  std::array<unsigned char, kBlock> pending_{};
  std::uint64_t bytes_ = 0;
};

[[nodiscard]] std::string sha256(std::string_view bytes);
// Throws Error(environment) for a file that cannot be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace autokernel
