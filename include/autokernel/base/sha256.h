// SHA-256 (FIPS 180-4), for what must not be forged by anybody who can choose both texts. OpenSSL
// computes it, with the instructions that the processor has for it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace autokernel {

// 64 hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);
// Throws Error(environment) for a file that cannot be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace autokernel
