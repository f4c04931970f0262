// Bytes as text (RFC 4648), where a format takes nothing else.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace autokernel {

[[nodiscard]] std::string base64(std::string_view bytes);
// None for a text that is none.
[[nodiscard]] std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace autokernel
