#include "programs/profile/json_repair.h"

#include <algorithm>
#include <array>
#include <utility>

#include "autokernel/base/visible_text.h"

namespace autokernel::programs {
namespace {

// The longest things that are looked at as a whole: "-Infinity" with what follows it, a character
// of UTF-8, and the two halves of a UTF-16 pair, \uD83D\uDE00.
constexpr std::size_t kLongestWord = 10;
constexpr std::size_t kLongestCharacter = 4;
constexpr std::size_t kEscape = 6;

// Of a text: a parser keeps all of it in memory. Nothing that is read is longer.
constexpr std::size_t kLongestText = std::size_t{16} << 20U;

constexpr std::string_view kReplacement = "\\uFFFD";

[[nodiscard]] bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// What C's printf, Python and JavaScript make of a number that is none.
constexpr std::array<std::string_view, 6> kNoNumbers = {"nan",      "NaN", "inf",
                                                        "Infinity", "NAN", "INF"};

[[nodiscard]] std::string_view without_sign(std::string_view word) {
  return word.substr(word.starts_with('-') ? 1 : 0);
}

[[nodiscard]] bool is_no_number(std::string_view word) {
  return std::ranges::find(kNoNumbers, without_sign(word)) != kNoNumbers.end();
}

[[nodiscard]] bool begins_no_number(std::string_view word) {
  const std::string_view letters = without_sign(word);
  return !letters.empty() && std::ranges::any_of(kNoNumbers, [&](std::string_view spelling) {
    return spelling.starts_with(letters);
  });
}

// The four hexadecimal digits of \uXXXX; -1 where they are not.
[[nodiscard]] int code_unit(std::string_view escape) {
  if (escape.size() < kEscape || !escape.starts_with("\\u")) return -1;
  int value = 0;
  for (const char c : escape.substr(2, 4)) {
    const bool is_digit = c >= '0' && c <= '9';
    const char lower = static_cast<char>(c | 0x20);
    if (!is_digit && (lower < 'a' || lower > 'f')) return -1;
    value = value * 16 + (is_digit ? c - '0' : lower - 'a' + 10);
  }
  return value;
}

[[nodiscard]] bool is_first_half(int unit) { return unit >= 0xD800 && unit < 0xDC00; }
[[nodiscard]] bool is_second_half(int unit) { return unit >= 0xDC00 && unit < 0xE000; }

[[nodiscard]] bool stays_in_text(char c) {
  return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20 &&
         static_cast<unsigned char>(c) < 0x80;
}

[[nodiscard]] bool stays_outside(char c) { return c != '"' && c != '-' && !is_letter(c); }

}  // namespace

JsonRepair::JsonRepair(Pieces json) : json_(std::move(json)) {}

bool JsonRepair::has(std::size_t at, std::size_t count) const {
  return at_end_ || given_.size() - at >= count;
}

std::string_view JsonRepair::next() {
  repaired_.clear();
  while (repaired_.empty() && !(at_end_ && given_.empty())) {
    const std::string_view piece = json_();
    given_ += piece;
    read_ += piece.size();
    at_end_ = piece.empty();
    std::size_t at = 0;
    while (at < given_.size()) {
      const bool was_in_text = in_text_;
      const std::size_t before = repaired_.size();
      const std::size_t then = in_text_ ? take_inside(at) : take_outside(at);
      if (then == at) break;
      text_length_ = was_in_text && in_text_ ? text_length_ + (then - at) : 0;
      if (text_length_ > kLongestText) repaired_.resize(before);
      at = then;
    }
    given_.erase(0, at);
  }
  return repaired_;
}

std::size_t JsonRepair::take_outside(std::size_t at) {
  const auto* const begin = given_.data();
  const auto* const stop = std::find_if_not(begin + at, begin + given_.size(), stays_outside);
  const auto end = static_cast<std::size_t>(stop - begin);
  copy(at, end);
  if (end == given_.size()) return end;
  if (given_[end] != '"') {
    const std::size_t then = take_number_word(end);
    // What was copied counts as taken in any case.
    if (then == end && end > at) return end;
    return then;
  }
  repaired_ += '"';
  in_text_ = true;
  return end + 1;
}

std::size_t JsonRepair::take_number_word(std::size_t at) {
  if (!has(at, kLongestWord)) return at;
  std::size_t end = at + 1;
  while (end < given_.size() && end - at < kLongestWord && is_letter(given_[end])) ++end;
  const std::string_view word = std::string_view(given_).substr(at, end - at);
  const bool is_cut = at_end_ && end == given_.size() && begins_no_number(word);
  if (is_no_number(word)) {
    repaired_ += "null";
  } else if (!is_cut) {  // Else a parser would see a mistake where only the rest is missing.
    copy(at, end);
  }
  return end;
}

std::size_t JsonRepair::take_inside(std::size_t at) {
  const auto* const begin = given_.data();
  const auto* const stop = std::find_if_not(begin + at, begin + given_.size(), stays_in_text);
  const auto end = static_cast<std::size_t>(stop - begin);
  copy(at, end);
  if (end > at) return end;
  const char c = given_[at];
  if (c == '\\') return take_escape(at);
  if (c == '"') {
    repaired_ += c;
    in_text_ = false;
    return at + 1;
  }
  if (static_cast<unsigned char>(c) < 0x20) {
    repaired_ += ' ';
    return at + 1;
  }
  return take_character(at);
}

std::size_t JsonRepair::take_escape(std::size_t at) {
  if (!has(at, 2 * kEscape)) return at;
  const std::string_view rest = std::string_view(given_).substr(at);
  const bool is_short =
      rest.size() >= 2 && std::string_view("\"\\/bfnrt").find(rest[1]) != std::string_view::npos;
  if (is_short) {
    copy(at, at + 2);
    return at + 2;
  }
  const int unit = code_unit(rest);
  if (unit < 0) {
    repaired_ += "\\\\";
    return at + 1;
  }
  if (is_first_half(unit) && is_second_half(code_unit(rest.substr(kEscape)))) {
    copy(at, at + 2 * kEscape);
    return at + 2 * kEscape;
  }
  if (is_first_half(unit) || is_second_half(unit)) {
    repaired_ += kReplacement;
  } else {
    copy(at, at + kEscape);
  }
  return at + kEscape;
}

std::size_t JsonRepair::take_character(std::size_t at) {
  if (!has(at, kLongestCharacter)) return at;
  const std::string_view rest = std::string_view(given_).substr(at, kLongestCharacter);
  // As long as the first byte says, if that is a character.
  for (std::size_t length = 2; length <= rest.size(); ++length) {
    const std::string_view character = rest.substr(0, length);
    if (valid_utf8(character) == character) {
      repaired_ += character;
      return at + length;
    }
  }
  repaired_ += kReplacement;
  return at + 1;
}

}  // namespace autokernel::programs
