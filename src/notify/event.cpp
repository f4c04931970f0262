#include "autokernel/notify/event.h"

#include "notify/words.h"

namespace autokernel::notify {
namespace {

constexpr WordsOf<EventKind, 5> kEventWords = {{{EventKind::kept, "kept"},
                                                {EventKind::plateau, "plateau"},
                                                {EventKind::failure, "failure"},
                                                {EventKind::finish, "finish"},
                                                {EventKind::test, "test"}}};

constexpr WordsOf<Better, 2> kBetterWords = {
    {{Better::lower, "lower"}, {Better::higher, "higher"}}};

}  // namespace

std::string represent(Better better) { return word_of(kBetterWords, better); }

bool restore(const std::string& word, Better& better) {
  return find_word(kBetterWords, word, better);
}

std::string represent(EventKind kind) { return word_of(kEventWords, kind); }

bool restore(const std::string& word, EventKind& kind) {
  return find_word(kEventWords, word, kind);
}

std::vector<std::string> run_event_words() {
  std::vector<std::string> words;
  words.reserve(kRunEvents.size());
  for (const EventKind kind : kRunEvents) words.push_back(represent(kind));
  return words;
}

}  // namespace autokernel::notify
