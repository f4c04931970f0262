// The text that the mock server answers with: made-up words, a function of model, seed and prompt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace autokernel::lab {

// One token is one word with the blank before it: whoever splits the text at blanks counts exactly
// what `usage` says.
struct Answer {
  std::string text;
  std::vector<std::size_t> token_ends;  // the end of each token in the text
  bool stopped = false;                 // at a stop sequence, not at max_tokens

  [[nodiscard]] std::size_t tokens() const { return token_ends.size(); }
  [[nodiscard]] std::string_view token(std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : token_ends[index - 1];
    return std::string_view(text).substr(begin, token_ends[index] - begin);
  }
};

// What an answer depends on; a shorter one of the same key is the beginning of a longer one.
struct AnswerKey {
  std::string_view model;
  std::uint64_t seed = 0;
  std::string_view prompt;
};
[[nodiscard]] std::uint64_t key_hash(const AnswerKey& key);

// `max_tokens` tokens, or those before the first of the stop sequences, which is itself left out.
// The last token is cut where a stop sequence begins within it.
[[nodiscard]] Answer make_answer(const AnswerKey& key, std::size_t max_tokens,
                                 const std::vector<std::string>& stop);

// Words between blanks, tabs and line ends: the mock's tokens.
[[nodiscard]] std::size_t count_words(std::string_view text);

}  // namespace autokernel::lab
