// One thread block while a worker runs it: its warps, their memory and the order they run in. A
// warp runs until it ends or has to wait; then the next one goes on, without leaving the worker's
// thread. A worker keeps its Blocks from launch to launch, so that stacks and memory are made once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/runtime/abi.h"
#include "emulator/runtime/barrier.h"
#include "emulator/runtime/fiber.h"
#include "emulator/runtime/launch.h"
#include "emulator/runtime/reservation.h"

namespace emulator::runtime {

class Block {
 public:
  // Made, used and destroyed on one thread.
  Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // Sets everything up that does not change between the blocks of a launch. Throws std::bad_alloc.
  void prepare(const Launch& launch, LaunchProgress& progress);
  // Makes this block number `index` of the launch (x fastest), of which nothing has run.
  void begin(std::uint64_t index);
  // Runs it until it ends (true), or until its warps have yielded `rounds` times each (false): it
  // may be waiting for another block. A fault goes to the launch's progress and ends it as well.
  [[nodiscard]] bool run(std::uint64_t rounds);

  // For the entry points, on the stack of a warp that runs.
  [[nodiscard]] const Launch& launch() const { return *launch_; }
  [[nodiscard]] LaunchProgress& progress() { return *progress_; }
  // Comes back when the barrier is full; the value is that of the reduction.
  std::uint32_t wait(const WarpContext& context, const Arrival& arrival);
  // Lets every other warp of the block that can run go first.
  void yield();
  // Ends the block here. The fault must have been reported; nothing with a destructor may be alive
  // in the callers.
  [[noreturn]] void abandon();

 private:
  struct Strand {
    explicit Strand(Block& block) : fiber(run_warps, &block) {}
    Fiber fiber;
    std::uint32_t warp = 0;
  };

  static void run_warps(void* block);
  // Gives up warps that stopped half-way: they are never gone back to.
  void forget_warps();
  // Goes on in whatever can run next; comes back when this strand is next again.
  void switch_away();
  [[nodiscard]] Fiber& next_fiber();
  [[nodiscard]] bool find_idle_strand() noexcept;
  void wake(std::uint32_t warps);
  void report_deadlock();

  const Launch* launch_ = nullptr;
  LaunchProgress* progress_ = nullptr;

  std::unique_ptr<std::array<WarpContext, kMaxWarps>> warps_;
  Reservation shared_pages_;
  std::vector<std::uint8_t> shared_pattern_;  // what shared memory is filled with
  Reservation local_pages_;
  std::vector<Range> ranges_;
  std::uint64_t seed_ = 0;

  Barriers barriers_;
  Fiber thread_;  // the worker's own stack
  std::vector<std::unique_ptr<Strand>> strands_;
  std::vector<Strand*> idle_;                   // have no warp
  std::array<Strand*, kMaxWarps> strand_of_{};  // by warp
  // Strands that can go on, oldest first: a ring. A warp is in it at most once.
  std::array<Strand*, kMaxWarps> ready_{};
  std::uint32_t ready_begin_ = 0;
  std::uint32_t ready_count_ = 0;
  Strand* running_ = nullptr;
  std::uint32_t warp_count_ = 0;
  std::uint32_t next_warp_ = 0;    // the first that has not begun
  std::uint32_t ended_ = 0;        // how many have ended
  std::uint64_t yields_left_ = 0;  // before the block gives the worker back
};

}  // namespace emulator::runtime
