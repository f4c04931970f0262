// "key: value" lines, as every command prints them on standard output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace autokernel::cli {

class KeyLines {
 public:
  // Several lines of text are continued below the first, in the column of the values.
  void add(std::string_view key, std::string_view text);
  void add(std::string_view key, double value, int decimals);
  void add(std::string_view key, const std::optional<double>& value, int decimals);
  void add_count(std::string_view key, std::uint64_t value);
  void add_unless_empty(std::string_view key, std::string_view text);

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace autokernel::cli
