#include "autokernel/base/visible_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace autokernel {
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

[[nodiscard]] std::uint32_t code_point_of(std::string_view character) {
  constexpr std::array<std::uint32_t, 5> kBitsOfFirst = {0, 0x7F, 0x1F, 0x0F, 0x07};
  std::uint32_t value = byte_at(character, 0) & kBitsOfFirst.at(character.size());
  for (std::size_t i = 1; i < character.size(); ++i)
    value = value << 6U | (byte_at(character, i) & 0x3FU);
  return value;
}

// What is written out. In Unicode's words: controls (Cc), format characters (Cf), line and
// paragraph separators (Zl, Zp), noncharacters, and the letters and marks that are drawn as nothing
// (Default_Ignorable_Code_Point), in which text can be hidden from people but not from programs.
struct CodePoints {
  std::uint32_t first;
  std::uint32_t last;
};
constexpr auto kUnseen = std::to_array<CodePoints>({
    {0x00, 0x08},        // C0 but tab and line feed, which the callers see to
    {0x0B, 0x1F},        //
    {0x7F, 0x9F},        // DEL, C1: a terminal may take U+009B for escape and bracket
    {0xAD, 0xAD},        // soft hyphen
    {0x034F, 0x034F},    // combining grapheme joiner
    {0x0600, 0x0605},    // Arabic number signs, which enclose what follows
    {0x061C, 0x061C},    // Arabic letter mark
    {0x06DD, 0x06DD},    //
    {0x070F, 0x070F},    //
    {0x0890, 0x0891},    //
    {0x08E2, 0x08E2},    //
    {0x115F, 0x1160},    // Hangul fillers
    {0x17B4, 0x17B5},    // Khmer vowels that are not drawn
    {0x180B, 0x180F},    // Mongolian variation selectors and vowel separator
    {0x200B, 0x200F},    // zero width space, joiners, left-to-right and right-to-left marks
    {0x2028, 0x202E},    // line and paragraph separator, embeddings and overrides
    {0x2060, 0x206F},    // word joiner, invisible operators, isolates
    {0x3164, 0x3164},    // Hangul filler
    {0xFDD0, 0xFDEF},    // noncharacters
    {0xFE00, 0xFE0F},    // variation selectors
    {0xFEFF, 0xFEFF},    // zero width no-break space, the byte order mark
    {0xFFA0, 0xFFA0},    // halfwidth Hangul filler
    {0xFFF0, 0xFFFB},    // annotations
    {0xFFFE, 0xFFFF},    //
    {0x110BD, 0x110BD},  // Kaithi number signs
    {0x110CD, 0x110CD},  //
    {0x13430, 0x1343F},  // joiners of hieroglyphs
    {0x1BCA0, 0x1BCA3},  // shorthand format controls
    {0x1D173, 0x1D17A},  // musical format controls
    {0xE0000, 0xE0FFF},  // tags, which spell ASCII unseen, and more variation selectors
});

[[nodiscard]] bool is_unseen(std::uint32_t code_point) {
  constexpr std::uint32_t kLastTwoOfAPlane = 0xFFFE;
  if ((code_point & kLastTwoOfAPlane) == kLastTwoOfAPlane) return true;
  const auto* const range =
      std::ranges::lower_bound(kUnseen, code_point, {}, [](const CodePoints& r) { return r.last; });
  return range != kUnseen.end() && code_point >= range->first;
}

// `\` and a letter, then so many digits.
[[nodiscard]] std::string escape(char letter, std::size_t digits, std::uint32_t value) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text(digits + 2, '0');
  text[0] = '\\';
  text[1] = letter;
  for (std::size_t at = text.size(); at > 2 && value != 0; value >>= 4U)
    text[--at] = kDigits[value & 0xFU];
  return text;
}

[[nodiscard]] std::string written_out(std::uint32_t code_point) {
  return code_point > 0xFFFF ? escape('U', 8, code_point) : escape('u', 4, code_point);
}

// Gives `add` each character, and none with the byte where there is none.
template <typename Add>
void for_each_character(std::string_view text, Add add) {
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    add(length == 0 ? std::nullopt : std::optional(text.substr(0, length)), byte_at(text, 0));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

// Nothing to do for most text, which is looked at once.
[[nodiscard]] bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

std::string visible_text(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  bool after_return = false;
  const auto write_return = [&] {
    if (after_return) out += written_out('\r');
    after_return = false;
  };
  for_each_character(text, [&](std::optional<std::string_view> character, unsigned byte) {
    if (character == "\n") after_return = false;
    write_return();
    if (!character) {
      out += escape('x', 2, byte);
    } else if (character == "\r") {
      after_return = true;
    } else if (character == "\n" || character == "\t" || !is_unseen(code_point_of(*character))) {
      out += *character;
    } else {
      out += written_out(code_point_of(*character));
    }
  });
  write_return();
  return out;
}

std::string visible_line(std::string_view text) {
  std::string line = visible_text(text);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](std::optional<std::string_view> character, unsigned) {
    out += character.value_or(kReplacement);
  });
  return out;
}

}  // namespace autokernel
