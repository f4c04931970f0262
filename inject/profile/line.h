// One line of a record, as docs/profile-format.md describes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace recording {

// Built in memory of the caller's, without a limit on what is asked for: what does not fit is left
// out, and the line still ends.
class Line {
 public:
  Line(std::span<char> room, char letter);

  Line& number(std::uint64_t value);
  Line& number(std::int64_t value);
  // Another field. `most`: bytes of it at most, as written; a character is kept or left out whole.
  Line& text(std::string_view text, std::size_t most = SIZE_MAX);
  // The line with its end, in the room.
  [[nodiscard]] std::string_view done();

 private:
  void put(char byte);

  char* const begin_;
  char* at_;
  char* const end_;  // the byte kept for the end of the line
};

}  // namespace recording
