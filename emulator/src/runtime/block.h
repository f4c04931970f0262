// One thread block while a worker runs it: its units (warps, or threads that run by themselves),
// their memory and the order they run in. A unit runs until it ends or has to wait; then the next
// one goes on, without leaving the worker's thread. A worker keeps its Blocks from launch to
// launch, so that stacks and memory are made once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/abi.h"
#include "runtime/barrier.h"
#include "runtime/fiber.h"
#include "runtime/lane_rendezvous.h"
#include "runtime/launch.h"
#include "runtime/products_under_way.h"
#include "runtime/register_pool.h"
#include "runtime/reservation.h"
#include "runtime/unit_positions.h"

namespace emulator::runtime {

inline constexpr std::uint32_t kMaxUnits = 1024;  // in a block: as many as it may have threads

class Cluster;

class Block {
 public:
  // Made, used and destroyed on one thread.
  Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // Sets everything up that does not change between the blocks of a launch: this is the one of that
  // rank in its cluster, whose shared memory begins at `shared`. Throws std::bad_alloc.
  void prepare(const Launch& launch, LaunchProgress& progress, Cluster& cluster, GatheredSums& sums,
               std::uint8_t* shared, std::uint32_t rank);
  // Makes this the block at this position of the grid, of which nothing has run.
  void begin(const std::array<std::uint32_t, 3>& position);
  enum class Outcome : std::uint8_t {
    ended,
    yielded,  // each of its units so many times: it may be waiting for another block or launch
    waits,    // for the other blocks of its cluster
  };
  // Runs it until it ends, or until its units have yielded `rounds` times each, or wait at the
  // barrier of the cluster. A fault goes to the launch's progress and ends it as well. Where it
  // ends, it becomes the next block of `following`, of clusters of one, and runs on.
  [[nodiscard]] Outcome run(std::uint64_t rounds, Portion& following);
  [[nodiscard]] bool has_ended() const { return ended_ == unit_count_; }
  // Whether all its units that have not ended have arrived at the barrier of the cluster.
  [[nodiscard]] bool is_at_cluster() const { return barriers_.cluster_is_full(); }
  void leave_cluster_barrier();
  // Whether one of its units need not wait.
  [[nodiscard]] bool can_go_on() const { return ready_count_ != 0 || resting_ != nullptr; }
  // Whether one of its units waits for the launches before this one.
  [[nodiscard]] bool awaits_launches() const { return !awaiting_launches_.empty(); }
  [[nodiscard]] bool has_triggered() const { return triggered_; }
  // None of its units can go on, nor can another block help.
  void report_deadlock();
  // Once it has ended: gives back what it has beyond so many stacks; how many it keeps.
  std::uint64_t keep_stacks(std::uint64_t most);
  // Counts where its units stand. Any thread may ask from prepare() on, until the launch is over.
  void add_positions(UnitPositions& positions) { positions.add(contexts_, unit_count_); }

  // For the entry points, on the stack of a warp that runs.
  [[nodiscard]] const Launch& launch() const { return *launch_; }
  [[nodiscard]] LaunchProgress& progress() { return *progress_; }
  // Comes back when the barrier is full; the value is that of the reduction.
  std::uint32_t wait(const WarpContext& context, const Arrival& arrival);
  // Comes back when the lanes that meet are all there; they where this thread is to carry the
  // instruction out, with `operands` values of each in the gathering, else 0 once another one has.
  std::uint32_t meet(const MeetingArrival& arrival, std::uint32_t operands);
  // Deals `results` values of the gathering out to those lanes of the running thread's warp.
  void deal(std::uint32_t lanes, std::uint32_t results);
  [[nodiscard]] Cluster& cluster() { return *cluster_; }
  [[nodiscard]] ProductsUnderWay& products() { return products_; }
  [[nodiscard]] bool warp_has_ended(std::uint32_t warp) const;
  [[nodiscard]] RegisterPool& registers() { return registers_; }
  [[nodiscard]] GatheredSums& sums() { return *sums_; }
  // Makes this memory, the range of that site, such that the worker gathers what is added to it;
  // ends all gathering where it is one too many.
  void begin_gathering(std::uint32_t site);
  // The memory of that kind that holds the address; null where there is none.
  [[nodiscard]] const Range* gathered(std::uint64_t address) const;
  // An access to that memory which is no such addition: the sums are carried out, and no more are
  // gathered.
  void touch(const Range& range);
  // Comes back once all launches before this one have completed.
  void await_launches(std::uint32_t unit, std::uint32_t line);
  // As far as it depends on this block, the next launch may begin; what the block does now comes
  // behind what that does first, where that is possible.
  void trigger();
  // Lets every other unit of the block that can run go first.
  void yield();
  // Ends the block here. The fault must have been reported; nothing with a destructor may be alive
  // in the callers.
  [[noreturn]] void abandon();

 private:
  struct Strand {
    Strand(Block& block, std::size_t stack_bytes) : fiber(run_units, &block, stack_bytes) {}
    Fiber fiber;
    std::uint32_t unit = 0;
  };
  // What only blocks whose threads run by themselves need.
  struct Threads {
    std::vector<ThreadValues> values;
    Gathering gathering;
    Meetings meetings;
  };

  static void run_units(void* block);
  // From start to end the next one in the launch's order, on this strand.
  void run_unit(Strand& strand);
  void prepare_context(std::uint32_t unit);
  void prepare_stacks();
  // Gives up units that stopped half-way: they are never gone back to.
  void forget_units();
  // Units that waited for the end of this one go on.
  void tell_of_end(std::uint32_t unit);
  // Once all units have ended: makes it the next block that it is to become; false where there is
  // none.
  bool begin_following();
  // Goes on in whatever can run next; comes back when this strand is next again.
  void switch_away();
  [[nodiscard]] Fiber& next_fiber();
  // The same where the block gets its turn.
  [[nodiscard]] Fiber& first_fiber();
  [[nodiscard]] bool find_idle_strand() noexcept;
  void wake(std::uint32_t unit);
  void wake_released();
  void wake_awaiting();
  void report_refusal(const WarpContext& context, std::uint32_t line);

  const Launch* launch_ = nullptr;
  LaunchProgress* progress_ = nullptr;
  Cluster* cluster_ = nullptr;
  std::uint8_t* shared_ = nullptr;  // its own

  std::vector<WarpContext> contexts_;         // of the units
  std::unique_ptr<Threads> threads_;          // null until a launch needs it
  std::vector<std::uint8_t> shared_pattern_;  // what shared memory is filled with
  Reservation local_pages_;
  std::vector<Range> ranges_;
  GatheredSums* sums_ = nullptr;
  std::array<Range, 4> gathered_;  // kernels add to a few arrays; the first gathered_count_
  std::size_t gathered_count_ = 0;
  std::uint64_t seed_ = 0;
  std::uint64_t launches_ = 0;  // that it was prepared for

  Barriers barriers_;
  ProductsUnderWay products_;
  RegisterPool registers_;
  Fiber thread_;  // the worker's own stack
  std::vector<std::unique_ptr<Strand>> strands_;
  std::size_t stack_bytes_ = Fiber::kStackBytes;  // of each strand
  std::vector<Strand*> idle_;                     // have no unit
  std::array<Strand*, kMaxUnits> strand_of_{};    // by unit
  // Strands that can go on, oldest first: a ring. A unit is in it at most once.
  std::array<Strand*, kMaxUnits> ready_{};
  std::uint32_t ready_begin_ = 0;
  std::uint32_t ready_count_ = 0;
  Strand* running_ = nullptr;
  std::uint32_t unit_count_ = 0;
  std::uint32_t next_unit_ = 0;                   // how many have begun
  std::uint32_t ended_ = 0;                       // how many have ended
  std::uint64_t yields_left_ = 0;                 // before the block gives the worker back
  std::uint64_t rounds_ = 0;                      // as many for each of its units
  Portion* following_ = nullptr;                  // what it becomes next, while it runs
  std::vector<std::uint32_t> awaiting_launches_;  // units
  bool by_thread_ = false;                        // its units are threads
  bool in_cluster_ = false;                       // of several blocks
  bool triggered_ = false;
  Strand* resting_ = nullptr;  // the one that triggered, until the block goes on
};

}  // namespace emulator::runtime
