// JSON as profilers write it, made into JSON as its standard has it: what a strict parser would
// reject a whole trace for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "programs/profile/pieces.h"

namespace autokernel::programs {

// The text, with
// - null for nan and inf, which C++ prints for a rate without a duration,
// - two backslashes for one that begins no escape sequence, as in a path of Windows,
// - a blank for each control character in a text,
// - U+FFFD for each byte of a text that belongs to no character of UTF-8,
// - about 16 MiB of a text that is longer.
// What is JSON already stays as it is.
class JsonRepair {
 public:
  explicit JsonRepair(Pieces json);

  // The next piece, valid until the next call; empty at the end.
  [[nodiscard]] std::string_view next();
  // Bytes of the original that were read so far.
  [[nodiscard]] std::uint64_t bytes_read() const { return read_; }

 private:
  // Whether the bytes of `given_` from `at` suffice to decide on what begins there.
  [[nodiscard]] bool has(std::size_t at, std::size_t count) const;
  // Each takes what is at `at`, and returns where the next one begins: `at` itself where more has
  // to be read first.
  std::size_t take_outside(std::size_t at);
  std::size_t take_number_word(std::size_t at);
  std::size_t take_inside(std::size_t at);
  std::size_t take_escape(std::size_t at);
  std::size_t take_character(std::size_t at);
  void copy(std::size_t from, std::size_t to) { repaired_.append(given_, from, to - from); }

  Pieces json_;
  std::string given_;     // what was read and not yet taken
  std::string repaired_;  // what it became
  std::uint64_t read_ = 0;
  std::size_t text_length_ = 0;  // of the text that is being read
  bool in_text_ = false;
  bool at_end_ = false;
};

}  // namespace autokernel::programs
