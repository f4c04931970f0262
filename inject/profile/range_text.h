// The names that programs give to what they do.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace recording {

// What is kept of a name. One that is longer is data rather than a name.
inline constexpr std::size_t kMostOfRange = 1000;

// The name in UTF-8, cut to what is kept.
class RangeText {
 public:
  RangeText() = default;
  explicit RangeText(const char* text);
  explicit RangeText(std::string_view text);
  explicit RangeText(const wchar_t* text);

  [[nodiscard]] std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  void put_character(char32_t character);

  std::array<char, kMostOfRange> bytes_;  // NOLINT(*-member-init): only the first size_ count
  std::size_t size_ = 0;
};

}  // namespace recording
