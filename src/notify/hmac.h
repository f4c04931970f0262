// HMAC-SHA256 (RFC 2104): who knows the key can tell that a message is ours and unchanged.
#pragma once

#include <string>
#include <string_view>

namespace autokernel::notify {

// 64 hexadecimal digits. Throws Error(environment) where there is no memory for it.
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view message);

}  // namespace autokernel::notify
