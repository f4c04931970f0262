// What may be read as JSON at all, before a value is made of it.
#pragma once

#include <cstddef>
#include <string_view>

namespace autokernel::document {

struct JsonBounds {
  int deepest;
  std::size_t most_values;
};

// Why that text must not be parsed, in words that complete "it"; null where it may. One that is
// nested without end would overflow the stack of whoever copies or writes it, and one of nothing
// but commas becomes some fifty times as large in memory. Whether it is JSON is not looked at.
// (nlohmann-json's callback, which could count as well, takes a time that grows with the square of
// an array's length.)
[[nodiscard]] const char* excess_of(std::string_view json, const JsonBounds& bounds);

}  // namespace autokernel::document
