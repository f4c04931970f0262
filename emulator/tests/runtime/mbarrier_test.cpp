#include "runtime/mbarrier.h"

#include <gtest/gtest.h>

#include <random>

namespace emulator::runtime {
namespace {

// As another thread finds it in memory.
Mbarrier found_again(const Mbarrier& barrier) {
  return Mbarrier::from(barrier.bits()).value_or(Mbarrier(1));
}

TEST(Mbarrier, KeepsItsStateInItsBits) {
  Mbarrier barrier(kMostArrivals);
  ASSERT_TRUE(barrier.arrive(5));
  ASSERT_TRUE(barrier.expect(-kMostTransactions));
  EXPECT_EQ(found_again(barrier).bits(), barrier.bits());
  EXPECT_EQ(barrier.bits() >> kPendingShift & ((1U << kPendingBits) - 1), kMostArrivals - 5);
}

TEST(Mbarrier, IsNotWhatWasNeverInitialised) {
  EXPECT_FALSE(Mbarrier::from(0));
  EXPECT_FALSE(Mbarrier::from(~std::uint64_t{0}));
}

TEST(Mbarrier, RefusesMoreThanItsPhaseExpects) {
  Mbarrier barrier(3);
  EXPECT_FALSE(barrier.arrive(0));
  EXPECT_FALSE(barrier.arrive(4));
  EXPECT_FALSE(barrier.arrive_and_drop(4));
  EXPECT_TRUE(barrier.arrive(2));
  EXPECT_FALSE(barrier.arrive(2));
  EXPECT_TRUE(barrier.expect(kMostTransactions));
  EXPECT_FALSE(barrier.expect(1));
}

// Against counts that are kept apart, in plain numbers.
TEST(Mbarrier, EndsAPhaseWhenNeitherArrivalsNorTransactionsAreMissing) {
  std::mt19937 random(3);
  Mbarrier barrier(1000);
  int expected = 1000;
  int pending = 1000;
  int transactions = 0;
  unsigned phases = 0;
  for (int step = 0; step < 20000; ++step) {
    const int count = static_cast<int>(random() % 60) + 1;
    const bool arrives = random() % 2 == 0;
    if (arrives && count <= pending) {
      const bool drops = random() % 100 == 0 && expected > count + 1;
      ASSERT_TRUE(drops ? barrier.arrive_and_drop(static_cast<unsigned>(count))
                        : barrier.arrive(static_cast<unsigned>(count)));
      pending -= count;
      if (drops) expected -= count;
    } else {
      const int change = transactions == 0 ? count : -transactions;
      ASSERT_TRUE(barrier.expect(change));
      transactions += change;
    }
    if (pending == 0 && transactions == 0) {
      ++phases;
      pending = expected;
    }
    ASSERT_EQ(barrier.parity(), phases % 2) << step;
    barrier = found_again(barrier);
  }
  EXPECT_GT(phases, 50U);
}

}  // namespace
}  // namespace emulator::runtime
