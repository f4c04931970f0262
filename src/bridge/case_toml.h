// The text of a case whose reference is in Python.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace autokernel::bridge {

struct WrittenSize {
  std::string name;
  std::map<std::string, std::int64_t> symbols;
  std::string comment;  // may be empty
};

// What a tensor that is read is filled with.
struct WrittenFill {
  std::string name;      // "normal", "uniform", "integers" or "captured"
  std::string low = {};  // as TOML has them: a number, or a formula in quotes
  std::string high = {};
  std::string file = {};  // of what is captured
  std::string sha256 = {};
};

// The fill of a tensor that keeps the values it is given: whole numbers, which may be offsets or
// indices, all of them, floating ones all but the lowest bit, so that no kernel can know them.
[[nodiscard]] WrittenFill kept_values(const std::string& file, const std::string& bytes);

struct WrittenTensor {
  std::string name;
  std::string role;
  std::string dtype;
  std::vector<std::string> shape;  // formulas, outermost dimension first
  std::optional<WrittenFill> fill;
};

struct WrittenScalar {
  std::string name;
  std::string dtype;
  std::string value;  // as TOML has it
};

struct WrittenCheck {
  double absolute = 0;
  double relative = 0;
  std::string whose;        // a comment on where they come from
  double may_be_wrong = 0;  // share of the elements
};

struct WrittenCase {
  std::string name;
  std::string comment;
  std::vector<WrittenSize> sizes;
  std::vector<WrittenTensor> tensors;
  std::vector<WrittenScalar> scalars;
  std::vector<std::string> files;  // of reference.py
  WrittenCheck check;
};

[[nodiscard]] std::string case_toml(const WrittenCase& written);

// A number as TOML tells a floating one from a whole one: with a point.
[[nodiscard]] std::string floating_text(double value);
// A text that goes into quotes, and into a line: without quotes, backslashes and control
// characters.
[[nodiscard]] std::string quotable(std::string text);
// By the dtype of a case.
[[nodiscard]] bool is_floating_dtype(const std::string& dtype);
[[nodiscard]] std::uint64_t dtype_bytes(const std::string& dtype);
// A value of that dtype.
[[nodiscard]] std::string number_text(double value, const std::string& dtype);

}  // namespace autokernel::bridge
