#include "range_text.h"

#include <cstring>

namespace recording {

RangeText::RangeText(const char* text)
    : RangeText(text == nullptr ? std::string_view{}
                                : std::string_view{text, ::strnlen(text, kMostOfRange + 1)}) {}

RangeText::RangeText(std::string_view text) {
  if (text.empty()) return;  // which may be nowhere
  size_ = text.size() < bytes_.size() ? text.size() : bytes_.size();
  std::memcpy(bytes_.data(), text.data(), size_);
  if (size_ == text.size()) return;
  // A character that may have been cut in its midst.
  const auto continues = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
  };
  while (size_ > 0 && continues(bytes_[size_ - 1])) --size_;
  if (size_ > 0 && static_cast<unsigned char>(bytes_[size_ - 1]) >= 0xC0U) --size_;
}

RangeText::RangeText(const wchar_t* text) {
  if (text == nullptr) return;
  for (; *text != L'\0'; ++text) {
    const std::size_t before = size_;
    put_character(static_cast<char32_t>(*text));
    if (size_ == before) return;
  }
}

// Nothing is put where it does not fit whole.
void RangeText::put_character(char32_t character) {
  constexpr char32_t kLast = 0x10FFFF;
  constexpr char32_t kReplacement = 0xFFFD;
  if (character > kLast || (character >= 0xD800 && character <= 0xDFFF)) character = kReplacement;
  std::array<char, 4> bytes{};
  std::size_t count = 1;
  const auto tail = [&](unsigned shift) {
    return static_cast<char>(0x80U | ((character >> shift) & 0x3FU));
  };
  if (character < 0x80) {
    bytes[0] = static_cast<char>(character);
  } else if (character < 0x800) {
    bytes = {static_cast<char>(0xC0U | (character >> 6U)), tail(0)};
    count = 2;
  } else if (character < 0x10000) {
    bytes = {static_cast<char>(0xE0U | (character >> 12U)), tail(6), tail(0)};
    count = 3;
  } else {
    bytes = {static_cast<char>(0xF0U | (character >> 18U)), tail(12), tail(6), tail(0)};
    count = 4;
  }
  if (bytes_.size() - size_ < count) return;
  std::memcpy(bytes_.data() + size_, bytes.data(), count);
  size_ += count;
}

}  // namespace recording
