// Numbers for texts: the same text has the same number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace recording {

// Not for several threads at once.
class TextIds {
 public:
  // `most`: how many texts are kept, a power of two.
  constexpr explicit TextIds(std::uint32_t most) : most_(most) {}

  struct Id {
    std::uint32_t number = 0;  // from 1; 0 where there was no room for another text
    bool is_new = false;
  };
  [[nodiscard]] Id of(std::string_view text);
  // That of a number which of() gave; nothing for 0. It stays where it is, and ends with a zero.
  [[nodiscard]] std::string_view text_of(std::uint32_t number) const;

 private:
  struct Entry {
    std::uint64_t hash;
    char* text;
    std::size_t size;
  };
  [[nodiscard]] bool grown();
  // Where its number is, or is to be. There is always a free slot.
  [[nodiscard]] std::uint32_t* slot_of(std::uint64_t hash, std::string_view text);

  const std::uint32_t most_;
  std::uint32_t count_ = 0;
  Entry* entries_ = nullptr;        // in the order of their numbers
  std::uint32_t* slots_ = nullptr;  // the number of the text whose hash leads here; 0: none
  std::uint32_t slot_count_ = 0;    // a power of two, at least twice count_
};

}  // namespace recording
