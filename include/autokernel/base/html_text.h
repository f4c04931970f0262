// Text as it may stand in a page, between tags and in a quoted attribute.
#pragma once

#include <string>
#include <string_view>

namespace autokernel {

// &, <, > and " as entities; a blank in place of each control character.
[[nodiscard]] std::string html_text(std::string_view text);

}  // namespace autokernel
