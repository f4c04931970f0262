#include "runtime/gathered_sums.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace emulator::runtime {
namespace {

template <typename T>
std::uint64_t address_of(T& word) {
  return reinterpret_cast<std::uint64_t>(&word);
}

TEST(GatheredSums, AreOpenForTheFirstSizeThatComes) {
  GatheredSums sums;
  EXPECT_FALSE(sums.open_for(4));
  sums.begin(false);
  EXPECT_FALSE(sums.open_for(4));
  sums.begin(true);
  EXPECT_FALSE(sums.takes(4));
  EXPECT_TRUE(sums.open_for(4));
  EXPECT_TRUE(sums.takes(4));
  EXPECT_FALSE(sums.open_for(8));
  sums.stop();
  EXPECT_FALSE(sums.open_for(4));
  sums.begin(true);
  EXPECT_TRUE(sums.open_for(8));
}

TEST(GatheredSums, AreCarriedOutByAFlush) {
  GatheredSums sums;
  sums.begin(true);
  ASSERT_TRUE(sums.open_for(4));
  std::vector<std::uint32_t> words(10, 100);
  for (std::uint32_t i = 0; i < 50; ++i) sums.add(address_of(words[i % 10]), i);
  EXPECT_EQ(words, std::vector<std::uint32_t>(10, 100));
  sums.flush();
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(words[i], 100 + 5 * i + 100);
  const std::vector<std::uint32_t> after = words;
  sums.flush();
  EXPECT_EQ(words, after);
}

TEST(GatheredSums, WrapAroundAtTheirOwnSize) {
  GatheredSums sums;
  sums.begin(true);
  ASSERT_TRUE(sums.open_for(4));
  std::uint32_t words[2] = {1, 7};
  for (int i = 0; i < 3; ++i) sums.add(address_of(words[0]), 0xffffffff);
  sums.flush();
  EXPECT_EQ(words[0], 0xfffffffe);
  EXPECT_EQ(words[1], 7);

  sums.begin(true);
  ASSERT_TRUE(sums.open_for(8));
  std::uint64_t word = 5;
  for (int i = 0; i < 3; ++i) sums.add(address_of(word), ~std::uint64_t{0});
  sums.flush();
  EXPECT_EQ(word, 2);
}

TEST(GatheredSums, DriveEachOtherOutWhereTheyNeedOneEntry) {
  GatheredSums sums;
  sums.begin(true);
  ASSERT_TRUE(sums.open_for(4));
  std::vector<std::uint32_t> words(3 * GatheredSums::kEntries);
  for (int round = 0; round < 2; ++round) {
    sums.add(address_of(words[0]), 1);
    sums.add(address_of(words[GatheredSums::kEntries]), 10);
    sums.add(address_of(words[2 * GatheredSums::kEntries]), 100);
  }
  EXPECT_EQ(words[0], 2);
  EXPECT_EQ(words[GatheredSums::kEntries], 20);
  EXPECT_EQ(words[2 * GatheredSums::kEntries], 100);
  sums.flush();
  EXPECT_EQ(words[2 * GatheredSums::kEntries], 200);
}

TEST(GatheredSums, EndWhereTheyMostlyMiss) {
  GatheredSums sums;
  sums.begin(true);
  ASSERT_TRUE(sums.open_for(4));
  std::vector<std::uint32_t> words(16 * GatheredSums::kEntries);
  for (std::uint32_t& word : words) {
    if (sums.takes(4)) sums.add(address_of(word), 1);
  }
  EXPECT_FALSE(sums.takes(4));
  // None was lost.
  std::uint32_t sum = 0;
  for (const std::uint32_t word : words) sum += word;
  EXPECT_GT(sum, GatheredSums::kEntries);
  for (std::uint32_t i = 0; i < sum; ++i) ASSERT_EQ(words[i], 1);
}

TEST(GatheredSums, OfALaunchThatFailedAreForgotten) {
  GatheredSums sums;
  sums.begin(true);
  ASSERT_TRUE(sums.open_for(4));
  std::uint32_t word = 3;
  sums.add(address_of(word), 1);
  sums.begin(true);
  sums.flush();
  EXPECT_EQ(word, 3);
}

}  // namespace
}  // namespace emulator::runtime
