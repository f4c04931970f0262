// Launches of a stream of which each may begin while those before it are under way: as soon as all
// blocks of the one before it have said so (griddepcontrol.launch_dependents), or have ended. All
// threads work on all of them, the newest first. Blocks that have said so rest until the next
// launch has got as far as it can: what it reads without waiting for them is what was there before.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/fault.h"
#include "runtime/launch.h"
#include "runtime/succession.h"
#include "runtime/worker.h"

namespace emulator::runtime {

// So many launches of a chain are under way at once, at most.
inline constexpr std::size_t kMostInChain = 16;

// What a thread needs for as many; each is made when it is needed.
using Workers = std::array<std::unique_ptr<Worker>, kMostInChain>;

// Gives a chain its launches. Called from any of its threads, one at a time.
class ChainSource {
 public:
  ChainSource() = default;
  ChainSource(const ChainSource&) = delete;
  ChainSource& operator=(const ChainSource&) = delete;
  virtual ~ChainSource() = default;

  // The launch behind the last one given, valid until it has ended; null: none is known.
  [[nodiscard]] virtual const Launch* next() = 0;
  // Where next() gave none, whether it is worth while to ask again soon.
  [[nodiscard]] virtual bool expects_next() = 0;
  // The oldest launch that was given and has not ended has now.
  virtual void ended(const std::optional<Fault>& fault) = 0;
};

class Chain {
 public:
  // Of the launch that the source gives first, and of those that join it. So many threads work.
  Chain(ChainSource& source, unsigned threads);

  // Takes part until all launches have ended. Each of the threads calls it once.
  void work(Workers& workers);
  // Where memory did not suffice.
  [[nodiscard]] std::exception_ptr failure() const { return failure_; }
  // Where the units stand, in words, launch by launch.
  [[nodiscard]] std::string whereabouts();

 private:
  struct Link {
    Link(const Launch& to_run, std::size_t free_slot)
        : launch(to_run),
          slot(free_slot),
          succession(to_run.block_count()),
          progress(to_run.cluster_count(), &succession) {}

    const Launch& launch;
    std::size_t slot;  // of each thread's workers
    Succession succession;
    LaunchProgress progress;
    std::atomic<unsigned> seen_to_by = 0;  // threads that cannot do more at present
    std::atomic<unsigned> left_by = 0;     // threads that are done with it
  };
  // What a thread has to do of one launch.
  struct Part {
    std::shared_ptr<Link> link;
    Worker* worker;
    bool seen_to = false;
    bool over = false;
  };

  void take_parts(std::vector<Part>& parts, std::uint64_t& taken, Workers& workers,
                  unsigned thread);
  // Whether anything has come of it.
  bool take_turn(Part& part);
  bool turn_moves(Part& part);
  void leave(Part& part);
  // What any thread may do for all: true where it has changed anything.
  bool advance();
  bool retire();
  bool join();
  void let_go();
  void stop_if_failed();
  [[nodiscard]] bool has_room_for(const Launch& launch) const;
  [[nodiscard]] std::size_t free_slot() const;

  ChainSource& source_;
  const unsigned threads_;
  std::atomic<unsigned> arrived_ = 0;      // threads
  std::atomic<std::uint64_t> joined_ = 0;  // launches
  std::atomic<bool> over_ = false;
  std::mutex mutex_;                             // of what follows
  std::deque<std::shared_ptr<Link>> under_way_;  // oldest first
  const Launch* next_ = nullptr;                 // given, and has not joined
  bool stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace emulator::runtime
