#include "ledger/utf8.h"

#include <algorithm>

#include "autokernel/ledger/ledger.h"

namespace autokernel::ledger {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

[[nodiscard]] unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// Which second bytes may follow a first byte: the ranges keep out spellings that are too long,
// halves of UTF-16 pairs and what lies above U+10FFFF.
struct SequenceForm {
  std::size_t length = 0;  // 0: nothing begins with such a byte
  unsigned lowest = 0x80;
  unsigned highest = 0xBF;
};
[[nodiscard]] SequenceForm form_after(unsigned first) {
  if (first < 0x80) return {.length = 1};
  if (first < 0xC2) return {};
  if (first < 0xE0) return {.length = 2};
  if (first == 0xE0) return {.length = 3, .lowest = 0xA0};
  if (first == 0xED) return {.length = 3, .highest = 0x9F};
  if (first < 0xF0) return {.length = 3};
  if (first == 0xF0) return {.length = 4, .lowest = 0x90};
  if (first < 0xF4) return {.length = 4};
  if (first == 0xF4) return {.length = 4, .highest = 0x8F};
  return {};
}

// Bytes of the character that the text begins with; 0 where that is none.
[[nodiscard]] std::size_t character_length(std::string_view text) {
  const SequenceForm form = form_after(byte_at(text, 0));
  if (form.length > text.size()) return 0;
  for (std::size_t i = 1; i < form.length; ++i) {
    const unsigned byte = byte_at(text, i);
    const unsigned lowest = i == 1 ? form.lowest : 0x80;
    const unsigned highest = i == 1 ? form.highest : 0xBF;
    if (byte < lowest || byte > highest) return 0;
  }
  return form.length;
}

[[nodiscard]] bool is_control(std::string_view character) {
  const unsigned first = byte_at(character, 0);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return first == 0xC2 && byte_at(character, 1) < 0xA0;
}

template <typename Add>
void for_each_character(std::string_view text, Add add) {
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    add(length == 0 ? kReplacement : text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

}  // namespace

std::string as_utf8(std::string_view text) {
  if (std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; })) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](std::string_view character) { out += character; });
  return out;
}

std::string as_one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_character(
      text, [&](std::string_view character) { out += is_control(character) ? " " : character; });
  return out;
}

}  // namespace autokernel::ledger
