// What an optional holds, in a test that cannot go on without it.
#pragma once

#include <optional>
#include <stdexcept>

namespace autokernel::test {

// Fails the test, by an exception, where there is nothing.
template <typename Value>
[[nodiscard]] const Value& present(const std::optional<Value>& value) {
  if (!value) throw std::logic_error("there is no value");
  return *value;
}

// The same, to be changed.
template <typename Value>
[[nodiscard]] Value& present(std::optional<Value>& value) {
  if (!value) throw std::logic_error("there is no value");
  return *value;
}

}  // namespace autokernel::test
