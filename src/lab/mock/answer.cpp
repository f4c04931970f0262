#include "lab/mock/answer.h"

#include <algorithm>

#include "lab/random_bits.h"

namespace autokernel::lab {
namespace {

constexpr std::string_view kConsonants = "bdfghjklmnprstvz";
constexpr std::string_view kVowels = "aeiou";
// Two or three syllables: as long as words of English are on average, with their blank.
constexpr std::uint64_t kSyllablesLeast = 2;
constexpr std::uint64_t kSyllableChoices = 2;

void add_word(std::string& text, RandomBits& random) {
  text += ' ';
  const std::uint64_t syllables = kSyllablesLeast + random.below(kSyllableChoices);
  for (std::uint64_t i = 0; i < syllables; ++i) {
    text += kConsonants[random.below(kConsonants.size())];
    text += kVowels[random.below(kVowels.size())];
  }
}

[[nodiscard]] std::size_t first_stop(const std::string& text,
                                     const std::vector<std::string>& stop) {
  std::size_t first = std::string::npos;
  for (const std::string& sequence : stop) first = std::min(first, text.find(sequence));
  return first;
}

}  // namespace

std::uint64_t key_hash(const AnswerKey& key) {
  // A zero byte, which JSON text has no business to hold, keeps "a" + "bc" from being "ab" + "c".
  std::uint64_t hash = hashed(key.model);
  hash = hashed(std::string_view("\0", 1), hash);
  hash = hashed(key.prompt, hash);
  return RandomBits(hash ^ RandomBits(key.seed).next()).next();
}

Answer make_answer(const AnswerKey& key, std::size_t max_tokens,
                   const std::vector<std::string>& stop) {
  RandomBits random(key_hash(key));
  Answer answer;
  answer.token_ends.reserve(max_tokens);
  for (std::size_t i = 0; i < max_tokens; ++i) {
    add_word(answer.text, random);
    answer.token_ends.push_back(answer.text.size());
  }
  const std::size_t end = first_stop(answer.text, stop);
  if (end == std::string::npos) return answer;
  answer.stopped = true;
  answer.text.resize(end);
  const auto beyond = std::ranges::lower_bound(answer.token_ends, end);
  // A token of which only its blank is left counts no word, and none was sent.
  const bool has_part = beyond != answer.token_ends.begin() ? beyond[-1] < end : end > 0;
  answer.token_ends.erase(beyond, answer.token_ends.end());
  if (has_part) answer.token_ends.push_back(end);
  if (!answer.token_ends.empty() && answer.token(answer.tokens() - 1) == " ") {
    answer.token_ends.pop_back();
    answer.text.pop_back();
  }
  return answer;
}

std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  bool within = false;
  for (const char character : text) {
    const bool is_blank = character == ' ' || (character >= '\t' && character <= '\r');
    if (!is_blank && !within) ++words;
    within = !is_blank;
  }
  return words;
}

}  // namespace autokernel::lab
