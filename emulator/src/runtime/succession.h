// What a launch has to do with those before and behind it in a chain (runtime/chain.h), for
// griddepcontrol. Safe for use by several threads.
#pragma once

#include <atomic>
#include <cstdint>

namespace emulator::runtime {

class Succession {
 public:
  // Of a launch of so many blocks.
  explicit Succession(std::uint64_t blocks) : untriggered_(blocks) {}

  // Whether all launches before it have completed: nobody waits for them any more.
  [[nodiscard]] bool is_first() const { return first_.load(std::memory_order_acquire); }
  void become_first() { first_.store(true, std::memory_order_release); }

  // So many blocks let the next launch begin: they have said so, or have ended, each counted once.
  void trigger(std::uint64_t blocks = 1) {
    untriggered_.fetch_sub(blocks, std::memory_order_acq_rel);
  }
  [[nodiscard]] bool all_triggered() const {
    return untriggered_.load(std::memory_order_acquire) == 0;
  }

  // Whether blocks that have said so rest, so that the next launch comes before what they do then.
  [[nodiscard]] bool holds() const { return holds_.load(std::memory_order_relaxed); }
  void let_go() { holds_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> untriggered_;
  std::atomic<bool> first_ = false;
  std::atomic<bool> holds_ = true;
};

}  // namespace emulator::runtime
