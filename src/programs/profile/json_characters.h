// The repaired text of a trace as nlohmann-json reads it: character by character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "programs/profile/json_repair.h"

namespace autokernel::programs {

class JsonCharacters {
 public:
  explicit JsonCharacters(Pieces json) : repair_(std::move(json)) { refill(); }

  // Whether the text is over; remembers that it was asked for more.
  [[nodiscard]] bool is_over() {
    if (at_ < piece_.size()) return false;
    was_exhausted_ = true;
    return true;
  }
  // Whether more was wanted than there is. Then an error is one of a text that is cut.
  [[nodiscard]] bool was_exhausted() const { return was_exhausted_; }
  [[nodiscard]] char now() const { return piece_[at_]; }
  void advance() {
    if (++at_ == piece_.size()) refill();
  }
  [[nodiscard]] std::uint64_t bytes_read() const { return repair_.bytes_read(); }

 private:
  void refill() {
    piece_ = repair_.next();
    at_ = 0;
  }

  JsonRepair repair_;
  std::string_view piece_;
  std::size_t at_ = 0;
  bool was_exhausted_ = false;
};

// All iterators of one text stand at the same place; one without a text stands at the end.
class JsonCharacterIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  JsonCharacterIterator() = default;
  explicit JsonCharacterIterator(JsonCharacters& characters) : characters_(&characters) {}

  char operator*() const { return characters_->now(); }
  JsonCharacterIterator& operator++() {
    characters_->advance();
    return *this;
  }
  JsonCharacterIterator operator++(int) {
    const JsonCharacterIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const JsonCharacterIterator& a, const JsonCharacterIterator& b) {
    return a.is_at_end() == b.is_at_end();
  }

 private:
  [[nodiscard]] bool is_at_end() const { return characters_ == nullptr || characters_->is_over(); }

  JsonCharacters* characters_ = nullptr;  // null: the end
};

}  // namespace autokernel::programs
