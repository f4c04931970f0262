#include "trial/philox.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "autokernel/base/error.h"
#include "trial/parallel.h"

namespace autokernel::trial {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;
constexpr std::size_t kLanes = 16;

// Blocks of kLanes consecutive counters, word by word. Always inlined, so that each caller below
// compiles it for its own instruction set.
struct Lanes {
  std::array<std::array<std::uint32_t, kLanes>, 4> word;
};

[[gnu::always_inline]] inline void round_of(Lanes& c, std::uint32_t key0, std::uint32_t key1) {
  for (std::size_t l = 0; l < kLanes; ++l) {
    const std::uint64_t product0 = static_cast<std::uint64_t>(kMultiplier0) * c.word[0][l];
    const std::uint64_t product1 = static_cast<std::uint64_t>(kMultiplier1) * c.word[2][l];
    c.word[0][l] = static_cast<std::uint32_t>(product1 >> 32U) ^ c.word[1][l] ^ key0;
    c.word[2][l] = static_cast<std::uint32_t>(product0 >> 32U) ^ c.word[3][l] ^ key1;
    c.word[1][l] = static_cast<std::uint32_t>(product1);
    c.word[3][l] = static_cast<std::uint32_t>(product0);
  }
}

[[gnu::always_inline]] inline void fill_groups(const Sequence& sequence, std::uint64_t first_group,
                                               std::span<std::uint32_t> words) {
  for (std::size_t begin = 0; begin < words.size(); begin += kGroupWords) {
    const std::uint64_t first = (first_group + begin / kGroupWords) * kLanes;
    Lanes c;
    for (std::size_t l = 0; l < kLanes; ++l) {
      c.word[0][l] = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(l);
      c.word[1][l] = static_cast<std::uint32_t>(first >> 32U);
      c.word[2][l] = sequence.tensor;
      c.word[3][l] = static_cast<std::uint32_t>(sequence.purpose);
    }
    std::uint32_t key0 = sequence.key.words[0];
    std::uint32_t key1 = sequence.key.words[1];
    for (int round = 0; round < kRounds; ++round) {
      round_of(c, key0, key1);
      key0 += kWeyl0;
      key1 += kWeyl1;
    }
    static_assert(sizeof(c) == kGroupWords * sizeof(std::uint32_t));
    std::memcpy(words.data() + begin, &c, sizeof(c));
  }
}

#if defined(__x86_64__)
[[gnu::target("avx512f,avx512dq,avx512vl")]] void fill_groups_avx512(
    const Sequence& sequence, std::uint64_t first_group, std::span<std::uint32_t> words) {
  fill_groups(sequence, first_group, words);
}
[[gnu::target("avx2")]] void fill_groups_avx2(const Sequence& sequence, std::uint64_t first_group,
                                              std::span<std::uint32_t> words) {
  fill_groups(sequence, first_group, words);
}
#endif

}  // namespace

Key draw_key() {
  Key key;
  const ssize_t got = getrandom(key.words.data(), sizeof(key.words), 0);
  if (got != static_cast<ssize_t>(sizeof(key.words))) {
    throw Error(Stop::environment, "cannot draw a random key from the operating system: " +
                                       std::generic_category().message(errno) + " [getrandom]");
  }
  return key;
}

std::string hexadecimal(const Key& key) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%08x%08x", key.words[1], key.words[0]);
  return text.data();
}

PhiloxBlock philox(PhiloxBlock counter, Key key) {
  auto [key0, key1] = key.words;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = static_cast<std::uint64_t>(kMultiplier0) * counter[0];
    const std::uint64_t product1 = static_cast<std::uint64_t>(kMultiplier1) * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32U) ^ counter[1] ^ key0,
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32U) ^ counter[3] ^ key1,
               static_cast<std::uint32_t>(product0)};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return counter;
}

void random_words(const Sequence& sequence, std::uint64_t first_group,
                  std::span<std::uint32_t> words) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return fill_groups_avx512(sequence, first_group, words);
  }
  if (__builtin_cpu_supports("avx2")) return fill_groups_avx2(sequence, first_group, words);
#endif
  fill_groups(sequence, first_group, words);
}

void random_bytes(const Sequence& sequence, std::span<std::byte> bytes) {
  constexpr std::size_t kGroupBytes = kGroupWords * sizeof(std::uint32_t);
  constexpr std::size_t kChunkGroups = 16;  // 4 KB, which stays in the first-level cache
  const std::size_t groups = (bytes.size() + kGroupBytes - 1) / kGroupBytes;
  in_parallel(groups, kGroupWords, [&](std::size_t first, std::size_t end) {
    std::array<std::uint32_t, kChunkGroups * kGroupWords> words{};
    for (std::size_t group = first; group < end; group += kChunkGroups) {
      const std::size_t count = std::min(kChunkGroups, end - group);
      random_words(sequence, group, std::span(words).first(count * kGroupWords));
      const std::size_t offset = group * kGroupBytes;
      std::memcpy(bytes.data() + offset, words.data(),
                  std::min(count * kGroupBytes, bytes.size() - offset));
    }
  });
}

}  // namespace autokernel::trial
