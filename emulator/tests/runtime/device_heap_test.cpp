#include "runtime/device_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/host_pointer.h"

namespace emulator::runtime {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 20;

TEST(DeviceHeap, AlignsBlocksAsCudaPromises) {
  DeviceHeap heap(kBytes);

  EXPECT_EQ(heap.allocate(1) % DeviceHeap::kAlignment, 0);
  EXPECT_EQ(heap.allocate(33) % DeviceHeap::kAlignment, 0);
}

TEST(DeviceHeap, KnowsTheBytesOfABlockAndNoMore) {
  DeviceHeap heap(kBytes);
  const std::uint64_t block = heap.allocate(33);

  EXPECT_EQ(heap.block_at(block + 32).begin, block);
  EXPECT_EQ(heap.block_at(block + 32).end, block + 33);
  EXPECT_EQ(heap.block_at(block + 33).end, 0);
  EXPECT_EQ(heap.block_at(block - 1).end, 0);
}

TEST(DeviceHeap, LeavesRoomBetweenBlocks) {
  DeviceHeap heap(kBytes);
  const std::uint64_t first = heap.allocate(32);
  const std::uint64_t second = heap.allocate(32);

  EXPECT_GT(second, first + 32);
  EXPECT_EQ(heap.block_at(first + 32).end, 0);
}

TEST(DeviceHeap, GivesABlockOfNoBytesAnAddressOfItsOwn) {
  DeviceHeap heap(kBytes);
  const std::uint64_t first = heap.allocate(0);
  const std::uint64_t second = heap.allocate(0);

  EXPECT_NE(first, 0);
  EXPECT_NE(first, second);
  EXPECT_EQ(heap.block_at(first).end, 0);
  EXPECT_TRUE(heap.release(first));
}

TEST(DeviceHeap, GivesNothingWhereItIsFull) {
  DeviceHeap heap(kBytes);

  EXPECT_EQ(heap.allocate(kBytes + 1), 0);
  EXPECT_NE(heap.allocate(kBytes / 2), 0);
  EXPECT_EQ(heap.allocate(kBytes / 2), 0);
  EXPECT_EQ(heap.allocate(~std::uint64_t{0}), 0);
}

TEST(DeviceHeap, OfNoBytesGivesNothing) {
  DeviceHeap heap(0);

  EXPECT_EQ(heap.allocate(1), 0);
  EXPECT_EQ(heap.allocate(0), 0);
  EXPECT_FALSE(heap.release(4096));
}

TEST(DeviceHeap, KeepsFreedMemoryBackAsLongAsThereIsOther) {
  DeviceHeap heap(kBytes);
  const std::uint64_t block = heap.allocate(64);
  ASSERT_TRUE(heap.release(block));

  EXPECT_NE(heap.allocate(64), block);
  EXPECT_EQ(heap.block_at(block).end, 0);
}

TEST(DeviceHeap, PutsFreedNeighboursTogether) {
  DeviceHeap heap(kBytes);
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t b = heap.allocate(1000); b != 0; b = heap.allocate(1000)) blocks.push_back(b);
  std::shuffle(blocks.begin(), blocks.end(), std::mt19937(1));
  for (const std::uint64_t b : blocks) ASSERT_TRUE(heap.release(b));

  EXPECT_NE(heap.allocate(kBytes - 2 * DeviceHeap::kAlignment), 0);
}

TEST(DeviceHeap, TakesBackOnlyWhatItHasGivenAndOnce) {
  DeviceHeap heap(kBytes);
  const std::uint64_t block = heap.allocate(64);
  std::uint64_t other = 0;

  EXPECT_FALSE(heap.release(block + 16));
  EXPECT_FALSE(heap.release(block + 1));
  EXPECT_FALSE(heap.release(block + 80));
  EXPECT_FALSE(heap.release(reinterpret_cast<std::uint64_t>(&other)));
  EXPECT_TRUE(heap.release(block));
  EXPECT_FALSE(heap.release(block));
}

TEST(DeviceHeap, SaysWhereAnAddressIs) {
  DeviceHeap heap(kBytes);
  const std::uint64_t block = heap.allocate(40);

  EXPECT_EQ(heap.locate(block + 40, 4),
            "right behind the end of a 40-byte block of the device heap");
  EXPECT_EQ(heap.locate(block + 44, 4),
            "4 bytes past the end of a 40-byte block of the device heap");
  EXPECT_EQ(heap.locate(block + 36, 8),
            "of which 4 bytes lie past the end of a 40-byte block of the device heap");
  EXPECT_EQ(heap.locate(block + kBytes - 64, 4), "in the device heap, near no block");
  ASSERT_TRUE(heap.release(block));
  EXPECT_EQ(heap.locate(block + 8, 4),
            "8 bytes into a 40-byte block of the device heap that has been freed");
}

TEST(DeviceHeap, KnowsASmallerBlockInThePlaceOfALargerOne) {
  DeviceHeap heap(kBytes);
  const std::uint64_t large = heap.allocate(kBytes - DeviceHeap::kAlignment);
  ASSERT_TRUE(heap.release(large));

  const std::uint64_t small = heap.allocate(32);

  EXPECT_EQ(small, large);
  EXPECT_EQ(heap.block_at(small).end, small + 32);
  EXPECT_EQ(heap.block_at(small + 4096).end, 0);
  EXPECT_TRUE(heap.release(small));
  EXPECT_NE(heap.allocate(kBytes - DeviceHeap::kAlignment), 0);
}

// Each block is full of its thread's number as long as it has it.
TEST(DeviceHeap, GivesThreadsOfTheHostBlocksThatDoNotOverlap) {
  constexpr int kThreads = 4;
  DeviceHeap heap(kBytes);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  std::vector<int> mistakes(kThreads, 0);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&heap, &mistakes, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      std::vector<std::pair<std::uint64_t, std::size_t>> mine;
      const auto give_back = [&](std::size_t i) {
        const auto* bytes = host_pointer<const std::uint8_t>(mine[i].first);
        const auto kept = std::count(bytes, bytes + mine[i].second, t + 1);
        if (static_cast<std::size_t>(kept) != mine[i].second)
          ++mistakes[static_cast<std::size_t>(t)];
        if (!heap.release(mine[i].first)) ++mistakes[static_cast<std::size_t>(t)];
        mine[i] = mine.back();
        mine.pop_back();
      };
      for (int round = 0; round < 20'000; ++round) {
        if (mine.size() > 40 || (!mine.empty() && random() % 2 == 0)) {
          give_back(random() % mine.size());
          continue;
        }
        const std::size_t bytes = 1 + random() % 3000;
        const std::uint64_t block = heap.allocate(bytes);
        if (block == 0) continue;
        std::memset(host_pointer<void>(block), t + 1, bytes);
        mine.emplace_back(block, bytes);
      }
      while (!mine.empty()) give_back(mine.size() - 1);
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(mistakes, std::vector<int>(kThreads, 0));
  EXPECT_NE(heap.allocate(kBytes - DeviceHeap::kAlignment), 0);
}

}  // namespace
}  // namespace emulator::runtime
