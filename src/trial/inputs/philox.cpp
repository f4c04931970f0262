#include "trial/inputs/philox.h"

#include <sys/random.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "autokernel/base/error.h"
#include "autokernel/base/number.h"
#include "autokernel/base/parallel.h"

namespace autokernel::trial {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;
constexpr std::size_t kLanes = 16;
constexpr std::size_t kGroupBytes = kGroupWords * sizeof(std::uint32_t);

void fill_groups(const Sequence& sequence, std::uint64_t first_group,
                 std::span<std::uint32_t> words) {
  for (std::size_t begin = 0; begin < words.size(); begin += kGroupWords) {
    const std::uint64_t first = (first_group + begin / kGroupWords) * kLanes;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const PhiloxBlock block = philox(
          {static_cast<std::uint32_t>(first + lane), static_cast<std::uint32_t>(first >> 32U),
           sequence.tensor, static_cast<std::uint32_t>(sequence.purpose)},
          sequence.key);
      for (std::size_t w = 0; w < block.size(); ++w) words[begin + w * kLanes + lane] = block[w];
    }
  }
}

#if defined(__x86_64__)
// As an element of std::array, which drops the attributes of a bare __m256i.
struct Register {
  __m256i bits;
};

// The same four blocks to a register, each word in the lower half of 64 bits, as the multiplication
// wants it. Written out because compilers make much slower code of the loop above; upper halves
// hold rubbish that nothing reads.
[[gnu::target("avx2")]] void fill_groups_avx2(const Sequence& sequence, std::uint64_t first_group,
                                              std::span<std::uint32_t> words) {
  constexpr std::size_t kPerRegister = 4;
  constexpr std::size_t kRegisters = kLanes / kPerRegister;
  const __m256i multiplier0 = _mm256_set1_epi64x(kMultiplier0);
  const __m256i multiplier1 = _mm256_set1_epi64x(kMultiplier1);
  const __m256i lanes = _mm256_set_epi64x(3, 2, 1, 0);
  const __m256i lower_halves = _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0);
  for (std::size_t begin = 0; begin < words.size(); begin += kGroupWords) {
    const std::uint64_t first = (first_group + begin / kGroupWords) * kLanes;
    std::array<std::array<Register, kRegisters>, 4> word;
    for (std::size_t r = 0; r < kRegisters; ++r) {
      const std::uint64_t counter = first + r * kPerRegister;
      word[0][r].bits =
          _mm256_add_epi64(_mm256_set1_epi64x(static_cast<long long>(counter)), lanes);
      word[1][r].bits = _mm256_set1_epi64x(static_cast<long long>(first >> 32U));
      word[2][r].bits = _mm256_set1_epi64x(sequence.tensor);
      word[3][r].bits = _mm256_set1_epi64x(static_cast<long long>(sequence.purpose));
    }
    std::uint32_t key0 = sequence.key.words[0];
    std::uint32_t key1 = sequence.key.words[1];
    for (int round = 0; round < kRounds; ++round) {
      const __m256i k0 = _mm256_set1_epi64x(key0);
      const __m256i k1 = _mm256_set1_epi64x(key1);
      for (std::size_t r = 0; r < kRegisters; ++r) {
        const __m256i product0 = _mm256_mul_epu32(word[0][r].bits, multiplier0);
        const __m256i product1 = _mm256_mul_epu32(word[2][r].bits, multiplier1);
        word[0][r].bits = _mm256_xor_si256(
            _mm256_xor_si256(_mm256_srli_epi64(product1, 32), word[1][r].bits), k0);
        word[2][r].bits = _mm256_xor_si256(
            _mm256_xor_si256(_mm256_srli_epi64(product0, 32), word[3][r].bits), k1);
        word[1][r].bits = product1;
        word[3][r].bits = product0;
      }
      key0 += kWeyl0;
      key1 += kWeyl1;
    }
    for (std::size_t w = 0; w < word.size(); ++w) {
      for (std::size_t r = 0; r < kRegisters; ++r) {
        const __m256i packed = _mm256_permutevar8x32_epi32(word[w][r].bits, lower_halves);
        std::uint32_t* const to = words.data() + begin + w * kLanes + r * kPerRegister;
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(packed));
      }
    }
  }
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

std::optional<Key> key_of(const std::string& hexadecimal) {
  std::uint64_t words = 0;
  constexpr int kBase = 16;
  if (hexadecimal.size() != 16 || !read_number(hexadecimal, words, kBase)) return std::nullopt;
  return Key{{static_cast<std::uint32_t>(words), static_cast<std::uint32_t>(words >> 32U)}};
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
  if (__builtin_cpu_supports("avx2")) return fill_groups_avx2(sequence, first_group, words);
#endif
  fill_groups(sequence, first_group, words);
}

void random_bytes(const Sequence& sequence, std::span<std::byte> bytes) {
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
