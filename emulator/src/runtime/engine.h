// Runs launches on all cores. One launch at a time, or one chain; the calling thread works too.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/chain.h"
#include "runtime/fault.h"
#include "runtime/launch.h"
#include "runtime/worker.h"

namespace emulator::runtime {

class Engine {
 public:
  // `workers` threads run blocks, the caller of run() being one of them.
  explicit Engine(unsigned workers);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  // Runs the launch to its end; the first fault if there was one. Always called from the same
  // thread. Throws std::bad_alloc where memory for a block does not suffice.
  [[nodiscard]] std::optional<Fault> run(const Launch& launch);
  // The same of a chain, whose source learns of the faults.
  void run(ChainSource& source);
  // Where the units of what is under way stand, in words; empty where there is none. Any thread
  // may ask.
  [[nodiscard]] std::string whereabouts();
  // In which order the units of a block begin, in launches that begin from now on. Any thread may
  // say so.
  void order_units(UnitOrder order) { order_ = order; }
  [[nodiscard]] UnitOrder order() const { return order_; }

 private:
  void work();                   // a helper thread, from start to end
  void share(Workers& workers);  // takes part in the current launch or chain
  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(helpers_.size()) + 1; }

  std::vector<std::thread> helpers_;
  Workers own_;  // of the calling thread

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const Launch* launch_ = nullptr;
  LaunchProgress* progress_ = nullptr;
  Chain* chain_ = nullptr;     // null where a launch runs alone
  std::uint64_t wanted_ = 0;   // how many helpers may still take part
  std::uint64_t working_ = 0;  // how many have and are not done
  std::exception_ptr failure_;
  bool ending_ = false;
  std::atomic<UnitOrder> order_ = UnitOrder::ascending;
};

// How many threads run blocks: EMULATED_CUDA_THREADS where that is set and sensible, else one per
// core.
[[nodiscard]] unsigned default_workers();

}  // namespace emulator::runtime
