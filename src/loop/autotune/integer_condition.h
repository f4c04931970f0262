// A condition on whole numbers, as C++ reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace autokernel::loop {

// Why a condition cannot be read here, though a compiler may: "sizeof is no parameter and no size".
struct UnreadableCondition : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The value of a literal of C++, in any base, with ' between digits and a suffix; none where the
// text is none, or where it is more than an int holds.
[[nodiscard]] std::optional<std::int64_t> integer_literal(std::string_view text);

// Parsed once, evaluated for each of many configurations. What is read: names, whole numbers, true
// and false, brackets, ! ~ + -, * / %, + -, << >>, < <= > >=, == !=, & ^ | && || and ?:, with the
// precedences of C++. Arithmetic is that of int.
class IntegerCondition {
 public:
  // `number_of` gives the place of a name's value in what evaluate() takes; none where there is no
  // such name. Throws UnreadableCondition.
  IntegerCondition(std::string_view text,
                   const std::function<std::optional<std::size_t>(std::string_view)>& number_of);

  // None where a value does not fit into an int, or has none: a division by zero. A compiler
  // decides then.
  [[nodiscard]] std::optional<bool> holds(const std::vector<std::int64_t>& values) const;

 private:
  enum class Kind : std::uint8_t { value, literal, unary, binary, choice };
  struct Node {
    Kind kind = Kind::literal;
    std::string_view sign;  // of what the operator is, into a table of ours
    std::int64_t literal = 0;
    std::size_t value = 0;                         // of its place
    std::size_t first = 0, second = 0, third = 0;  // operands, by their places in nodes_
  };
  class Parser;

  [[nodiscard]] std::optional<std::int64_t> evaluated(
      std::size_t node, const std::vector<std::int64_t>& values) const;

  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

}  // namespace autokernel::loop
