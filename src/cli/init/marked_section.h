// A section of ours in a file of the user's, between two lines that mark it.
#pragma once

#include <string>

namespace autokernel::cli {

// `text` with `section` between our marks: in place of the one that it has, else at its end. All
// other bytes stay. Throws Error(usage), which names the `file`, where there is one mark without
// the other, or one twice.
[[nodiscard]] std::string with_marked_section(const std::string& text, const std::string& section,
                                              const std::string& file);

// `text` of a .gitignore with a line more.
[[nodiscard]] std::string with_line(const std::string& text, const std::string& line);

}  // namespace autokernel::cli
