// Enumerators by the words that stand for them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace autokernel::notify {

template <typename Enumerator, std::size_t kSize>
using WordsOf = std::array<std::pair<Enumerator, const char*>, kSize>;

template <typename Enumerator, std::size_t kSize>
[[nodiscard]] std::string word_of(const WordsOf<Enumerator, kSize>& words, Enumerator meant) {
  const auto* const found =
      std::ranges::find(words, meant, &std::pair<Enumerator, const char*>::first);
  return found == words.end() ? std::string() : found->second;
}

// False where the word stands for none.
template <typename Enumerator, std::size_t kSize>
[[nodiscard]] bool find_word(const WordsOf<Enumerator, kSize>& words, const std::string& word,
                             Enumerator& meant) {
  for (const auto& [enumerator, name] : words) {
    if (word != name) continue;
    meant = enumerator;
    return true;
  }
  return false;
}

}  // namespace autokernel::notify
