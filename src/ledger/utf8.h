// Text that every reader of UTF-8 takes.
#pragma once

#include <string>
#include <string_view>

namespace autokernel::ledger {

// The text with U+FFFD in place of each byte that belongs to no character of UTF-8.
[[nodiscard]] std::string as_utf8(std::string_view text);

// The same, with a blank in place of each control character (C0, DEL, C1): one line, whatever it
// held.
[[nodiscard]] std::string as_one_line(std::string_view text);

}  // namespace autokernel::ledger
