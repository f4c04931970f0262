// Which words a case may use as names, and what a mistyped one was probably meant to be.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace autokernel::cases {

// Letters, digits and underscores, not starting with a digit: what C++ and the formulas both take.
[[nodiscard]] bool is_identifier(const std::string& text);
// Size symbols become constants of the served header, so C++ must not have another use for them.
[[nodiscard]] bool is_cpp_keyword(const std::string& text);

// The candidate at most two edits away from `text`, the nearest; none where nothing is that near.
[[nodiscard]] std::optional<std::string> nearest(const std::string& text,
                                                 const std::vector<std::string>& candidates);
// "a, b or c".
[[nodiscard]] std::string one_of(const std::vector<std::string>& words);

}  // namespace autokernel::cases
