#include "trial/inputs/philox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace autokernel::trial {
namespace {

// The known answers that the authors of the generator publish with it.
TEST(Philox, GivesThePublishedAnswerToZeros) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {{0, 0}}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

TEST(Philox, GivesThePublishedAnswerToOnes) {
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {{0xffffffff, 0xffffffff}}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Philox, GivesThePublishedAnswerToTheDigitsOfPi) {
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {{0xa4093822, 0x299f31d0}}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

constexpr Key kKey{{0x01234567, 0x89abcdef}};
constexpr Sequence kSequence{kKey, 7, Purpose::noise};

std::uint32_t word_at(std::uint64_t index) {
  const std::uint64_t counter = index / kGroupWords * 16 + index % 16;
  const PhiloxBlock block =
      philox({static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32U),
              kSequence.tensor, static_cast<std::uint32_t>(kSequence.purpose)},
             kKey);
  return block[index % kGroupWords / 16];
}

std::vector<std::uint32_t> blocks_one_by_one(std::uint64_t first_group, std::size_t count) {
  std::vector<std::uint32_t> words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = word_at(first_group * kGroupWords + i);
  return words;
}

TEST(RandomWords, AreThePhiloxBlocksInTheirDocumentedOrder) {
  std::vector<std::uint32_t> words(4 * kGroupWords);
  random_words(kSequence, 5, words);
  EXPECT_EQ(words, blocks_one_by_one(5, words.size()));
}

TEST(RandomWords, CountBeyond32Bits) {
  constexpr std::uint64_t kFirstGroup =
      (1ULL << 28U) - 1;  // the next group's counters start at 2^32
  std::vector<std::uint32_t> words(2 * kGroupWords);
  random_words(kSequence, kFirstGroup, words);
  EXPECT_EQ(words, blocks_one_by_one(kFirstGroup, words.size()));
}

TEST(RandomBytes, AreTheBeginningOfTheSequenceWhateverTheLength) {
  std::vector<std::byte> bytes(3'000'001);
  random_bytes(kSequence, bytes);
  const std::vector<std::uint32_t> words = blocks_one_by_one(0, bytes.size() / 4 + 1);
  EXPECT_EQ(std::memcmp(bytes.data(), words.data(), bytes.size()), 0);
}

TEST(RandomBytes, DifferByTensorAndByPurpose) {
  std::vector<std::byte> first(64);
  std::vector<std::byte> second(64);
  std::vector<std::byte> third(64);
  random_bytes({kKey, 0, Purpose::noise}, first);
  random_bytes({kKey, 1, Purpose::noise}, second);
  random_bytes({kKey, 0, Purpose::guards}, third);
  EXPECT_NE(first, second);
  EXPECT_NE(first, third);
}

TEST(Key, IsDrawnAnewEachTime) { EXPECT_NE(draw_key(), draw_key()); }

TEST(Key, IsWrittenAsSixteenDigits) { EXPECT_EQ(hexadecimal(kKey), "89abcdef01234567"); }

}  // namespace
}  // namespace autokernel::trial
