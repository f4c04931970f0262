// What an unknown word in case.toml was probably meant to be.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace autokernel::cases {

// The candidate that `text` is another word for ("output" for "out", "fp16" for "f16"), else the
// one that it is a mistyped form of; none where it is neither.
[[nodiscard]] std::optional<std::string> suggestion(const std::string& text,
                                                    const std::vector<std::string>& candidates);

}  // namespace autokernel::cases
