// Text from others (a kernel, a compiler that quotes it, a repository, an agent) as it may be
// shown: on a terminal, in a log or to whoever reads our JSON. What would change how the rest
// looks, or cannot be seen at all, is written out instead, so that nobody sees another text than
// there is.
#pragma once

#include <string>
#include <string_view>

namespace autokernel {

// Valid UTF-8 of visible characters, blanks, tabs and line ends. Written out as \u001B, \u202E or
// \U000E0041 are control characters (C0 and C1), those that reverse or reorder text, and those
// without width; as \xFF is each byte that belongs to no character. CR LF ends a line like LF.
[[nodiscard]] std::string visible_text(std::string_view text);

// The same on one line: a blank in place of each tab and line end.
[[nodiscard]] std::string visible_line(std::string_view text);

// The text with U+FFFD in place of each byte that belongs to no character of UTF-8, and otherwise
// as it is: for what has a syntax of its own, such as JSON.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace autokernel
