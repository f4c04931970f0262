// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"): random words as a
// pure function of key and counter, so that any part of any tensor can be made again later, in any
// order, by any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace autokernel::trial {

struct Key {
  std::array<std::uint32_t, 2> words{};

  friend bool operator==(const Key&, const Key&) = default;
};

// A key nobody can foresee, from the operating system. Throws Error(environment) where it gives
// none.
[[nodiscard]] Key draw_key();
[[nodiscard]] std::string hexadecimal(const Key& key);  // 16 digits, the second word first
[[nodiscard]] std::optional<Key> key_of(
    const std::string& hexadecimal);  // none where it is not that

using PhiloxBlock = std::array<std::uint32_t, 4>;
[[nodiscard]] PhiloxBlock philox(PhiloxBlock counter, Key key);

// What words are for; each purpose of each tensor has words of its own.
enum class Purpose : std::uint32_t {
  values = 0,
  exponents = 1,
  noise = 2,
  guards = 3,
  choices = 4,
  orders = 5  // of permutations
};

// One endless sequence of words out of a key.
struct Sequence {
  Key key;
  std::uint32_t tensor = 0;
  Purpose purpose = Purpose::values;
};

// Words are made in groups: word w of group g is word (w / 16) of the Philox block with the counter
// {16 * g + w % 16 (64 bits), tensor, purpose}. Sixteen blocks side by side fill the widest vector
// registers.
inline constexpr std::size_t kGroupWords = 64;

// Writes `words` (a multiple of kGroupWords) from group `first_group` of the sequence.
void random_words(const Sequence& sequence, std::uint64_t first_group,
                  std::span<std::uint32_t> words);

// Fills `bytes`, which may be of any length, with the beginning of the sequence, on as many threads
// as pay.
void random_bytes(const Sequence& sequence, std::span<std::byte> bytes);

}  // namespace autokernel::trial
