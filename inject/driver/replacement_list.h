// The list of replacements as text (docs/replacement-format.md).
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "driver/replacement.h"

namespace autokernel::inject {

// The bytes of a file beside the list; empty where there is none.
using CodeOf = std::function<std::string(const std::string& name)>;

// All that the list holds; every index in it leads to something. Throws std::runtime_error with why
// it is none.
[[nodiscard]] std::vector<Replacement> replacements_in(std::istream& list, const CodeOf& code_of);

}  // namespace autokernel::inject
