// Blocks that wait for each other, on one thread and on two.
#include "runtime/worker.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "runtime/kernel_launch.h"

namespace emulator::runtime {
namespace {

using Counter = std::atomic<std::uint32_t>;

// How many threads run blocks.
class BlocksThatWait : public testing::TestWithParam<unsigned> {
 protected:
  KernelLaunch kernel{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(On, BlocksThatWait, testing::Values(1U, 2U),
                         [](const auto& workers) { return std::to_string(workers.param); });

void wait_until(WarpContext* context, const Counter& counter, std::uint32_t value) {
  while (counter < value) emu_yield(context);
}

TEST_P(BlocksThatWait, MeetAtABarrierOfTheWholeGrid) {
  constexpr std::uint32_t kBlocks = 40;
  struct Grid {
    Counter arrived = 0;
    Counter behind = 0;
    std::vector<Counter> round = std::vector<Counter>(kBlocks);
  } grid;
  kernel.pass(reinterpret_cast<std::uint64_t>(&grid));
  kernel.launch.grid = {kBlocks, 1, 1};
  kernel.launch.block = {4 * kWarpSize, 1, 1};
  kernel.launch.blocks_per_worker = kBlocks;

  const auto outcome = kernel.run([](WarpContext* context) {
    auto& seen = *pointer_parameter<Grid>(*context, 0);
    for (std::uint32_t round = 1; round <= 5; ++round) {
      if (context->warp == 3) seen.round[context->ctaid[0]] = round;
      emu_barrier(context, context->live, 0, 0, 1, 0);
      if (context->warp == 0) {
        ++seen.arrived;
        wait_until(context, seen.arrived, round * kBlocks);
      }
      emu_barrier(context, context->live, 0, 0, 2, 0);
      for (const Counter& other : seen.round) seen.behind += other < round ? 1 : 0;
    }
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(grid.arrived, 5 * kBlocks);
  EXPECT_EQ(grid.behind, 0);
}

TEST_P(BlocksThatWait, LetABlockThatComesLaterGoFirst) {
  constexpr std::uint32_t kBlocks = 60;
  std::vector<Counter> done(kBlocks + 1);
  done[kBlocks] = 1;
  kernel.pass(reinterpret_cast<std::uint64_t>(done.data()));
  kernel.launch.grid = {kBlocks, 1, 1};
  kernel.launch.blocks_per_worker = kBlocks;

  const auto outcome = kernel.run([](WarpContext* context) {
    auto* flags = pointer_parameter<Counter>(*context, 0);
    wait_until(context, flags[context->ctaid[0] + 1], 1);
    flags[context->ctaid[0]] = 1;
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(done[0], 1);
}

TEST_P(BlocksThatWait, ScanByLookingBack) {
  constexpr std::uint32_t kBlocks = 3000;
  std::vector<Counter> sums(kBlocks);
  kernel.pass(reinterpret_cast<std::uint64_t>(sums.data()));
  kernel.launch.grid = {kBlocks, 1, 1};
  kernel.launch.block = {64, 1, 1};
  // A block waits for those before it alone: one at a time is enough.
  kernel.launch.blocks_per_worker = 1;

  const auto outcome = kernel.run([](WarpContext* context) {
    auto* scan = pointer_parameter<Counter>(*context, 0);
    const std::uint32_t b = context->ctaid[0];
    std::uint32_t before = 0;
    if (b != 0) {
      wait_until(context, scan[b - 1], 1);
      before = scan[b - 1];
    }
    if (context->warp == 0) scan[b] = before + b + 1;
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(sums.back(), kBlocks * (kBlocks + 1) / 2);
}

TEST_P(BlocksThatWait, TakeALockInTheOrderOfTheirTickets) {
  constexpr std::uint32_t kBlocks = 200;
  struct Lock {
    Counter next_ticket = 0;
    Counter served = 0;
    std::uint32_t inside = 0;
    std::uint32_t together = 0;
  } lock;
  kernel.pass(reinterpret_cast<std::uint64_t>(&lock));
  kernel.launch.grid = {kBlocks, 1, 1};
  kernel.launch.block = {96, 1, 1};

  const auto outcome = kernel.run([](WarpContext* context) {
    auto& held = *pointer_parameter<Lock>(*context, 0);
    const std::uint32_t ticket = held.next_ticket++;
    wait_until(context, held.served, ticket);
    if (++held.inside != 1) ++held.together;
    emu_yield(context);
    --held.inside;
    ++held.served;
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(lock.served, kBlocks * 3);
  EXPECT_EQ(lock.together, 0);
}

TEST_P(BlocksThatWait, KeepTheirOwnBarriersAndSharedMemory) {
  constexpr std::uint32_t kBlocks = 30;
  Counter arrived = 0;
  Counter wrong = 0;
  kernel.pass(reinterpret_cast<std::uint64_t>(&arrived));
  kernel.pass(reinterpret_cast<std::uint64_t>(&wrong));
  kernel.launch.grid = {kBlocks, 1, 1};
  kernel.launch.block = {64, 1, 1};
  kernel.launch.shared_bytes = 4;

  const auto outcome = kernel.run([](WarpContext* context) {
    auto* own = reinterpret_cast<std::uint32_t*>(context->shared);
    if (context->warp == 0) *own = context->ctaid[0];
    emu_barrier(context, context->live, 0, 0, 1, 0);
    auto& count = *pointer_parameter<Counter>(*context, 0);
    ++count;
    if (context->warp == 0) wait_until(context, count, 2 * kBlocks);
    emu_barrier(context, context->live, 0, 0, 2, 0);
    if (*own != context->ctaid[0]) ++*pointer_parameter<Counter>(*context, 1);
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(wrong, 0);
}

TEST_P(BlocksThatWait, EndWhenAnotherOneFails) {
  Counter flag = 0;
  kernel.pass(reinterpret_cast<std::uint64_t>(&flag));
  kernel.launch.grid = {20, 1, 1};
  kernel.launch.block = {64, 1, 1};

  const auto failed = kernel.run([](WarpContext* context) {
    if (context->ctaid[0] == 19) emu_fault(context, 3, context->live, 5);
    wait_until(context, *pointer_parameter<Counter>(*context, 0), 1);
  });
  EXPECT_EQ(failed.fault, FaultKind::trap);

  // The warps that were left half-way are not gone back to.
  flag = 1;
  const auto outcome = kernel.run([](WarpContext* context) {
    wait_until(context, *pointer_parameter<Counter>(*context, 0), 1);
    emu_barrier(context, context->live, 0, 0, 1, 0);
  });
  EXPECT_EQ(outcome.text, "none");
}

TEST_P(BlocksThatWait, AreNoMoreThanTheLaunchAllows) {
  struct Count {
    Counter now = 0;
    Counter most = 0;
    Counter done = 0;
  } count;
  constexpr std::uint32_t kBlocks = 50;
  kernel.pass(reinterpret_cast<std::uint64_t>(&count));
  kernel.launch.grid = {kBlocks, 1, 1};
  kernel.launch.blocks_per_worker = 3;

  const auto outcome = kernel.run([](WarpContext* context) {
    auto& seen = *pointer_parameter<Count>(*context, 0);
    const std::uint32_t now = ++seen.now;
    std::uint32_t most = seen.most;
    while (most < now && !seen.most.compare_exchange_weak(most, now)) {
    }
    for (int i = 0; i < 2000; ++i) emu_yield(context);
    --seen.now;
    ++seen.done;
  });

  EXPECT_EQ(outcome.text, "none");
  EXPECT_EQ(count.done, kBlocks);
  EXPECT_GE(count.most, 2U);
  EXPECT_LE(count.most, 3 * GetParam());
}

// Blocks that a worker runs one after the other, whether their warps wait for each other or not.
class BlocksInARow : public testing::TestWithParam<unsigned> {
 protected:
  static constexpr std::uint32_t kBlocks = 5000;

  BlocksInARow() {
    kernel.launch.grid = {kBlocks / 50, 25, 2};
    kernel.launch.block = {70, 1, 1};
    kernel.launch.shared_bytes = 16;
  }

  KernelLaunch kernel{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(On, BlocksInARow, testing::Values(1U, 2U),
                         [](const auto& workers) { return std::to_string(workers.param); });

// Of each block, how many threads have begun in it and the word that its shared memory held.
struct BlocksSeen {
  std::vector<Counter> threads = std::vector<Counter>(5000);
  std::vector<std::uint32_t> words = std::vector<std::uint32_t>(5000);

  static std::uint32_t index(const WarpContext& context) {
    const std::uint32_t row = context.ctaid[2] * context.nctaid[1] + context.ctaid[1];
    return row * context.nctaid[0] + context.ctaid[0];
  }
  void note(const WarpContext& context) {
    threads[index(context)] += static_cast<std::uint32_t>(std::popcount(context.live));
    if (context.warp != 0) return;
    std::memcpy(&words[index(context)], context.shared, sizeof words[0]);
    std::memset(context.shared, 0, sizeof words[0]);
  }
  void expect_all() {
    EXPECT_TRUE(std::ranges::all_of(threads, [](const Counter& count) { return count == 70; }));
    const auto zeros = std::ranges::count(words, 0U);
    EXPECT_EQ(zeros, 0);
    std::ranges::sort(words);
    EXPECT_GT(std::ranges::unique(words).begin() - words.begin(), 400);
  }
};

TEST_P(BlocksInARow, RunOnceEachAndFindOtherSharedMemory) {
  BlocksSeen seen;
  kernel.pass(reinterpret_cast<std::uint64_t>(&seen));
  kernel.launch.may_suspend = false;

  const auto outcome = kernel.run([](WarpContext* context) {
    pointer_parameter<BlocksSeen>(*context, 0)->note(*context);
    context->live = 0;
  });

  EXPECT_EQ(outcome.text, "none");
  seen.expect_all();
}

TEST_P(BlocksInARow, DoSoWhereTheirWarpsWait) {
  BlocksSeen seen;
  kernel.pass(reinterpret_cast<std::uint64_t>(&seen));

  const auto outcome = kernel.run([](WarpContext* context) {
    auto& all = *pointer_parameter<BlocksSeen>(*context, 0);
    all.note(*context);
    emu_barrier(context, context->live, 0, 0, 1, 0);
    EXPECT_EQ(all.threads[BlocksSeen::index(*context)], 70U);
    if (context->warp == 1) emu_yield(context);
  });

  EXPECT_EQ(outcome.text, "none");
  seen.expect_all();
}

TEST_P(BlocksInARow, EndWithTheFirstFault) {
  Counter begun = 0;
  kernel.pass(reinterpret_cast<std::uint64_t>(&begun));
  kernel.launch.may_suspend = false;

  const auto outcome = kernel.run([](WarpContext* context) {
    ++*pointer_parameter<Counter>(*context, 0);
    if (context->ctaid[0] != 13 || context->warp != 1) return;
    emu_fault(context, static_cast<std::uint32_t>(FaultKind::trap), 1, 7);
  });

  EXPECT_EQ(outcome.fault, FaultKind::trap);
  EXPECT_NE(outcome.text.find("block (13,0,0)"), std::string::npos) << outcome.text;
  EXPECT_LT(begun, 3 * kBlocks);
}

// Where the units of the last launch had their stacks.
struct Stacks {
  std::vector<std::uint64_t> addresses = std::vector<std::uint64_t>(kMaxUnits);

  // How many of the first `count` units' are there still.
  [[nodiscard]] std::ptrdiff_t left(std::size_t count) const {
    return std::count_if(addresses.begin(), addresses.begin() + static_cast<std::ptrdiff_t>(count),
                         [](std::uint64_t address) {
                           const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
                           std::array<unsigned char, 1> unused{};
                           return mincore(host_pointer<void>(address / page * page), page,
                                          unused.data()) == 0;
                         });
  }
};

void meet_once(WarpContext* context) {
  pointer_parameter<Stacks>(*context, 0)->addresses[context->unit] =
      reinterpret_cast<std::uint64_t>(context->stack_end);
  emu_barrier(context, context->live, 0, 0, 1, 0);
}

TEST(KeptStacks, OfAKernelDoNotDependOnTheOneAfterIt) {
  KernelLaunch kernel(1);
  Stacks stacks;
  kernel.pass(reinterpret_cast<std::uint64_t>(&stacks));
  kernel.launch.kept_stacks = 8;
  kernel.launch.block = {4 * kWarpSize, 1, 1};
  ASSERT_EQ(kernel.run(meet_once).text, "none");
  const Stacks of_warps = stacks;
  ASSERT_EQ(of_warps.left(4), 4);

  kernel.launch.unit = Unit::thread;
  kernel.launch.block = {512, 1, 1};
  ASSERT_EQ(kernel.run(meet_once).text, "none");

  EXPECT_EQ(of_warps.left(4), 4);
  EXPECT_EQ(stacks.left(512), 8);

  kernel.launch.unit = Unit::warp;
  kernel.launch.block = {4 * kWarpSize, 1, 1};
  ASSERT_EQ(kernel.run(meet_once).text, "none");
  const std::span<const std::uint64_t> before(of_warps.addresses.data(), 4);
  EXPECT_TRUE(std::ranges::is_permutation(before, std::span(stacks.addresses).first(4)));
}

TEST(KeptStacks, AreSharedByTheBlocksOfAWorker) {
  struct Seen {
    Counter arrived = 0;
    std::vector<Stacks> of_block = std::vector<Stacks>(3);
  } seen;
  KernelLaunch kernel(1);
  kernel.pass(reinterpret_cast<std::uint64_t>(&seen));
  kernel.launch.kept_stacks = 5;
  kernel.launch.grid = {3, 1, 1};
  kernel.launch.block = {4 * kWarpSize, 1, 1};
  ASSERT_EQ(kernel
                .run([](WarpContext* context) {
                  auto& all = *pointer_parameter<Seen>(*context, 0);
                  all.of_block[context->ctaid[0]].addresses[context->unit] =
                      reinterpret_cast<std::uint64_t>(context->stack_end);
                  ++all.arrived;
                  wait_until(context, all.arrived, 12);
                })
                .text,
            "none");
  std::ptrdiff_t left = 0;
  for (const Stacks& stacks : seen.of_block) left += stacks.left(4);
  EXPECT_EQ(left, 5);
}

}  // namespace
}  // namespace emulator::runtime
