#include "line.h"

#include <array>

namespace recording {
namespace {

// What stands after the backslash for a byte that would end a field; 0: the byte stands for itself.
char escape_of(char byte) {
  switch (byte) {
    case '\t':
      return 't';
    case '\n':
      return 'n';
    case '\\':
      return '\\';
    default:
      return 0;
  }
}

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// The longest beginning of `text` that takes at most `room` bytes in a line.
std::string_view fitting(std::string_view text, std::size_t room) {
  std::size_t count = 0;
  std::size_t written = 0;
  while (count < text.size()) {
    written += escape_of(text[count]) == 0 ? 1 : 2;
    if (written > room) break;
    ++count;
  }
  if (count == text.size()) return text;
  while (count > 0 && continues_character(text[count])) --count;
  text.remove_suffix(text.size() - count);
  return text;
}

}  // namespace

Line::Line(std::span<char> room, char letter)
    : begin_(room.data()), at_(room.data()), end_(room.data() + room.size() - 1) {
  put(letter);
}

void Line::put(char byte) {
  if (at_ != end_) *at_++ = byte;
}

Line& Line::number(std::uint64_t value) {
  std::array<char, 20> digits{};
  std::size_t first = digits.size();
  do {
    digits[--first] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  put('\t');
  while (first < digits.size()) put(digits[first++]);
  return *this;
}

Line& Line::number(std::int64_t value) {
  if (value >= 0) return number(static_cast<std::uint64_t>(value));
  number(std::uint64_t{0} - static_cast<std::uint64_t>(value));
  // Room for the sign, after the tab.
  char* first = at_;
  while (first[-1] != '\t') --first;
  if (at_ == end_) return *this;
  for (char* digit = at_; digit != first; --digit) *digit = digit[-1];
  *first = '-';
  ++at_;
  return *this;
}

Line& Line::text(std::string_view text, std::size_t most) {
  put('\t');
  const auto left = static_cast<std::size_t>(end_ - at_);
  for (const char byte : fitting(text, most < left ? most : left)) {
    const char escape = escape_of(byte);
    if (escape != 0) put('\\');
    put(escape != 0 ? escape : byte);
  }
  return *this;
}

std::string_view Line::done() {
  *at_ = '\n';
  return {begin_, static_cast<std::size_t>(at_ - begin_) + 1};
}

}  // namespace recording
