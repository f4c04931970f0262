// Whole numbers that follow from the sizes of a case, as AUTOKERNEL_LAUNCH computes them in C++.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace autokernel::compile {

// "(N + 255) / 256": sizes, decimal numbers, + - * / % and brackets, with C++'s precedence, in 64
// bits; division cuts off. The number, or a sentence on why there is none.
[[nodiscard]] std::variant<std::int64_t, std::string> value_of(
    const std::string& formula, const std::map<std::string, std::int64_t>& sizes);

}  // namespace autokernel::compile
