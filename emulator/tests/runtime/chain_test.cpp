// Launches that begin while those before them are under way, on one thread and on three.
#include "runtime/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/engine.h"
#include "runtime/host_pointer.h"
#include "runtime/memory.h"

namespace emulator::runtime {
namespace {

using Word = std::atomic<std::uint32_t>;

// What the launches of a test share; `number` is the launch's own.
struct Board {
  std::vector<Word> words = std::vector<Word>(4096);
  Word running = 0;
  Word most_running = 0;
};

Board& board_of(const WarpContext* context) {
  std::uint64_t address = 0;
  std::memcpy(&address, context->params, sizeof address);
  return *host_pointer<Board>(address);
}
std::uint64_t number_of(const WarpContext* context) {
  std::uint64_t number = 0;
  std::memcpy(&number, context->params + sizeof number, sizeof number);
  return number;
}
void wait_until(WarpContext* context, const Word& word, std::uint32_t value) {
  while (word < value) emu_yield(context);
}

// How many threads run blocks.
class Chains : public testing::TestWithParam<unsigned>, public ChainSource {
 protected:
  // One more launch of the chain.
  Launch& add(WarpFunction function, std::uint32_t blocks = 1, std::uint32_t threads = kWarpSize) {
    Entry& entry = entries_.emplace_back();
    entry.parameters = {reinterpret_cast<std::uint64_t>(&board), entries_.size() - 1};
    Launch& launch = entry.launch;
    launch.function = function;
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    launch.blocks_per_worker = 128;
    launch.parameters = {reinterpret_cast<const std::uint8_t*>(entry.parameters.data()),
                         sizeof entry.parameters};
    launch.addresses = &addresses_;
    launch.prints = &prints_;
    return launch;
  }
  // The faults of all launches that have begun, in their order. A chain may end before the next
  // launch has joined it, which then begins one of its own, as the next operation of a stream does.
  std::vector<std::string> run() {
    do engine.run(*this);
    while (given_ < entries_.size() && std::ranges::count(faults_, "none") == std::ssize(faults_));
    return faults_;
  }

  Engine engine{GetParam()};
  Board board;
  int asked_in_vain = 0;  // so often the source does not know yet

 private:
  struct Entry {
    std::array<std::uint64_t, 2> parameters;
    Launch launch;
  };

  const Launch* next() override {
    if (asked_in_vain != 0 && given_ != 0) return nullptr;
    return given_ == entries_.size() ? nullptr : &entries_[given_++].launch;
  }
  bool expects_next() override {
    if (asked_in_vain == 0) return false;
    --asked_in_vain;
    return true;
  }
  void ended(const std::optional<Fault>& fault) override {
    faults_.push_back(fault ? fault->text : "none");
  }

  AddressMap addresses_;
  PrintBuffer prints_;
  std::deque<Entry> entries_;
  std::size_t given_ = 0;
  std::vector<std::string> faults_;
};
INSTANTIATE_TEST_SUITE_P(On, Chains, testing::Values(1U, 3U),
                         [](const auto& workers) { return std::to_string(workers.param); });

const std::vector<std::string> kTwoSound = {"none", "none"};

// Triggers, and writes behind that.
void write_late(WarpContext* context) {
  emu_trigger(context);
  board_of(context).words[context->ctaid[0]] = 1;
}
// Counts in word 4000 what of that it finds.
void count_at_once(WarpContext* context) {
  Board& board = board_of(context);
  for (std::size_t i = 0; i < 100; ++i) board.words[4000] += board.words[i];
}
void count_after_waiting(WarpContext* context) {
  emu_await_launches(context, 7);
  count_at_once(context);
}

TEST_P(Chains, BeginALaunchWhileTheOneBeforeWaitsForIt) {
  add(
      [](WarpContext* context) {
        emu_trigger(context);
        wait_until(context, board_of(context).words[0], 5);
      },
      20);
  add([](WarpContext* context) { ++board_of(context).words[0]; }, 5);

  EXPECT_EQ(run(), kTwoSound);
}

TEST_P(Chains, ShowALaunchThatDoesNotWaitWhatWasThereBefore) {
  add(write_late, 100, 96);
  add(count_at_once, 50);

  EXPECT_EQ(run(), kTwoSound);
  EXPECT_EQ(board.words[4000], 0);
  EXPECT_EQ(board.words[99], 1);
}

TEST_P(Chains, ShowALaunchThatWaitsEverything) {
  add(write_late, 100, 96);
  add(count_after_waiting, 50);

  EXPECT_EQ(run(), kTwoSound);
  EXPECT_EQ(board.words[4000], 50 * 100);
}

TEST_P(Chains, WaitForALaunchThatIsToCome) {
  asked_in_vain = 1000;
  add(write_late, 100);
  add(count_at_once, 50);

  EXPECT_EQ(run(), kTwoSound);
  EXPECT_EQ(board.words[4000], 0);
}

TEST_P(Chains, GoOnWhereNoneComes) {
  asked_in_vain = 1000;
  add(write_late, 100);

  EXPECT_EQ(run(), std::vector<std::string>{"none"});
  EXPECT_EQ(board.words[99], 1);
}

TEST_P(Chains, TakeTheEndOfABlockForItsTrigger) {
  add([](WarpContext* context) { board_of(context).words[context->ctaid[0]] = 1; }, 100);
  add(count_at_once, 50);

  EXPECT_EQ(run(), kTwoSound);
  EXPECT_EQ(board.words[4000], 50 * 100);
}

TEST_P(Chains, BeginNoLaunchBeforeEveryBlockHasTriggered) {
  add(
      [](WarpContext* context) {
        Board& seen = board_of(context);
        // The last block alone has something to do first.
        for (int i = 0; context->ctaid[0] == 30 && i < 1000; ++i) emu_yield(context);
        ++seen.words[0];
        emu_trigger(context);
      },
      31);
  add([](WarpContext* context) {
    Board& seen = board_of(context);
    seen.words[1] = seen.words[0].load();
  });

  EXPECT_EQ(run(), kTwoSound);
  EXPECT_EQ(board.words[1], 31);
}

TEST_P(Chains, CountABlockOnceHoweverOftenItTriggers) {
  add(
      [](WarpContext* context) {
        for (int i = 0; i < 10; ++i) emu_trigger(context);
        board_of(context).words[context->ctaid[0]] = 1;
        emu_trigger(context);
      },
      100, 256);
  add(count_after_waiting);

  EXPECT_EQ(run(), kTwoSound);
  EXPECT_EQ(board.words[4000], 100);
}

TEST_P(Chains, HaveSixteenLaunchesUnderWayAtMost) {
  constexpr std::uint32_t kLaunches = 100;
  for (std::uint32_t i = 0; i < kLaunches; ++i) {
    add(
        [](WarpContext* context) {
          Board& seen = board_of(context);
          const std::uint32_t now = ++seen.running;
          seen.most_running = std::max(seen.most_running.load(), now);
          emu_trigger(context);
          emu_await_launches(context, 1);
          const std::uint64_t number = number_of(context);
          seen.words[number + 1] = seen.words[number] + 1;
          --seen.running;
        },
        1);
  }

  EXPECT_EQ(run(), std::vector<std::string>(kLaunches, "none"));
  EXPECT_EQ(board.words[kLaunches], kLaunches);
  EXPECT_EQ(board.most_running, kMostInChain);
}

TEST_P(Chains, LetEachOfManyLaunchesWaitForTheNext) {
  constexpr std::uint32_t kLaunches = 50;
  for (std::uint32_t i = 0; i < kLaunches; ++i) {
    add([](WarpContext* context) {
      Board& seen = board_of(context);
      const std::uint64_t number = number_of(context);
      seen.words[number] = 1;
      emu_trigger(context);
      if (number + 1 < kLaunches) wait_until(context, seen.words[number + 1], 1);
    });
  }

  EXPECT_EQ(run(), std::vector<std::string>(kLaunches, "none"));
}

TEST_P(Chains, WaitForAllLaunchesBefore) {
  add([](WarpContext* context) {
    Board& seen = board_of(context);
    emu_trigger(context);
    wait_until(context, seen.words[0], 1);
    for (int i = 0; i < 1000; ++i) emu_yield(context);
    seen.words[1] = 1;
  });
  add([](WarpContext* context) { emu_trigger(context); });
  add([](WarpContext* context) {
    Board& seen = board_of(context);
    seen.words[0] = 1;
    emu_await_launches(context, 1);
    seen.words[2] = seen.words[1].load();
  });

  EXPECT_EQ(run(), std::vector<std::string>(3, "none"));
  EXPECT_EQ(board.words[2], 1);
}

TEST_P(Chains, EndAllLaunchesWithTheFaultOfOne) {
  add(
      [](WarpContext* context) {
        emu_trigger(context);
        wait_until(context, board_of(context).words[0], 1);
      },
      8);
  add(
      [](WarpContext* context) {
        if (context->ctaid[0] == 3) emu_fault(context, 3, context->live, 5);
        emu_await_launches(context, 1);
      },
      8, 64);

  const std::vector<std::string> faults = run();
  ASSERT_EQ(faults.size(), 2);
  EXPECT_EQ(faults[0], "none");
  EXPECT_TRUE(faults[1].starts_with("trap instruction")) << faults[1];
}

TEST_P(Chains, EndLaunchesThatWaitForOneWithAFault) {
  add([](WarpContext* context) {
    emu_trigger(context);
    emu_fault(context, 3, context->live, 5);
  });
  add(count_after_waiting, 40, 96);
  add(count_after_waiting, 40);

  // The third never begins.
  const std::vector<std::string> faults = run();
  ASSERT_EQ(faults.size(), 2);
  EXPECT_TRUE(faults[0].starts_with("trap instruction")) << faults[0];
  EXPECT_EQ(faults[1], "none");
  EXPECT_EQ(board.words[4000], 0);
}

TEST_P(Chains, EndWithAFaultWhereAnotherLaunchIsToCome) {
  asked_in_vain = std::numeric_limits<int>::max();
  add(
      [](WarpContext* context) {
        if (context->ctaid[0] == 7) emu_fault(context, 3, context->live, 5);
        write_late(context);
      },
      8);

  const std::vector<std::string> faults = run();
  ASSERT_EQ(faults.size(), 1);
  EXPECT_TRUE(faults[0].starts_with("trap instruction")) << faults[0];
}

TEST_P(Chains, TakeNoWarpThatWaitsForLaunchesForOneThatIsMissing) {
  add(write_late, 100);
  add(
      [](WarpContext* context) {
        if (context->warp == 0) emu_await_launches(context, 1);
        emu_barrier(context, context->live, 0, 0, 2, 0);
        if (context->warp == 1) count_at_once(context);
      },
      10, 96);

  EXPECT_EQ(run(), kTwoSound);
  EXPECT_EQ(board.words[4000], 10 * 100);
}

TEST_P(Chains, StillFindABarrierThatCannotFill) {
  add(write_late);
  add(
      [](WarpContext* context) {
        emu_await_launches(context, 1);
        emu_barrier(context, context->live, 0, context->warp == 0 ? 96 : 64, 2, 0);
      },
      1, 64);

  const std::vector<std::string> faults = run();
  ASSERT_EQ(faults.size(), 2);
  EXPECT_EQ(faults[0], "none");
  EXPECT_NE(faults[1], "none");
}

TEST_P(Chains, LetBlocksGoOnThatOthersWaitForBeforeTheyTrigger) {
  add(
      [](WarpContext* context) {
        Board& seen = board_of(context);
        if (context->ctaid[0] == 0) {
          emu_trigger(context);
          seen.words[0] = 1;
        } else {
          wait_until(context, seen.words[0], 1);
          emu_trigger(context);
        }
      },
      40);
  add(count_after_waiting);

  EXPECT_EQ(run(), kTwoSound);
}

TEST_P(Chains, RunMoreBlocksThanCanRest) {
  Launch& first = add(
      [](WarpContext* context) {
        emu_trigger(context);
        ++board_of(context).words[0];
      },
      3000, 64);
  first.blocks_per_worker = 4;
  Launch& second = add(
      [](WarpContext* context) {
        emu_trigger(context);
        emu_await_launches(context, 1);
        ++board_of(context).words[1];
      },
      3000, 64);
  second.blocks_per_worker = 4;
  second.kept_stacks = 1;

  EXPECT_EQ(run(), kTwoSound);
  EXPECT_EQ(board.words[0], 6000);
  EXPECT_EQ(board.words[1], 6000);
}

TEST_P(Chains, RunClustersWhoseBlocksWaitForEachOther) {
  Launch& first = add(
      [](WarpContext* context) {
        if (context->cluster_rank == 1) emu_trigger(context);
        emu_cluster_barrier(context, context->live, 1, 0);
        emu_cluster_barrier(context, context->live, 1, 1);
        if (context->cluster_rank != 1) emu_trigger(context);
        board_of(context).words[context->ctaid[0]] = 1;
      },
      100, 64);
  first.cluster = {4, 1, 1};
  Launch& second = add(
      [](WarpContext* context) {
        if (context->cluster_rank == 2) emu_await_launches(context, 1);
        emu_cluster_barrier(context, context->live, 1, 0);
        emu_cluster_barrier(context, context->live, 1, 1);
        count_at_once(context);
      },
      8);
  second.cluster = {4, 1, 1};

  EXPECT_EQ(run(), kTwoSound);
  EXPECT_EQ(board.words[4000], 8 * 100);
}

TEST_P(Chains, RunThreadsByThemselves) {
  Launch& first = add(
      [](WarpContext* context) {
        if (context->unit == 5) emu_trigger(context);
        board_of(context).words[context->ctaid[0]] = 1;
      },
      100, 64);
  first.unit = Unit::thread;
  Launch& second = add(
      [](WarpContext* context) {
        if (context->unit == 40) count_after_waiting(context);
      },
      10, 64);
  second.unit = Unit::thread;
  second.most_workers = 1;

  EXPECT_EQ(run(), kTwoSound);
  EXPECT_EQ(board.words[4000], 10 * 100);
}

TEST_P(Chains, SayWhereTheirUnitsStand) {
  add([](WarpContext* context) {
    emu_trigger(context);
    wait_until(context, board_of(context).words[0], 1);
  });
  add(count_after_waiting, 1, 64);
  std::thread chain([&] { EXPECT_EQ(run(), kTwoSound); });

  const std::string wanted = "2 warps at PTX line 7 (waiting for the launches before)";
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::string seen;
  while (seen.find(wanted) == std::string::npos && std::chrono::steady_clock::now() < late) {
    seen = engine.whereabouts();
  }
  board.words[0] = 1;
  chain.join();

  EXPECT_THAT(seen, testing::HasSubstr(wanted));
}

TEST_P(Chains, LeaveTheEngineReadyForALaunchAlone) {
  const Launch& first = add(write_late, 100, 96);
  add(count_after_waiting, 50);
  EXPECT_EQ(engine.run(first), std::nullopt);
  EXPECT_EQ(run(), kTwoSound);

  board.words[99] = 0;
  EXPECT_EQ(engine.run(first), std::nullopt);
  EXPECT_EQ(board.words[99], 1);
}

}  // namespace
}  // namespace emulator::runtime
