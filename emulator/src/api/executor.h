// Carries out what a context's streams were given, in the order it was given: one thread, which is
// a legal order of all streams together.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace emulator::api {

// Number of an operation in the order of submission, from 1; 0 is before all.
using Ticket = std::uint64_t;

class Executor {
 public:
  using Operation = std::function<void(Ticket)>;

  Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  // Carries out what was submitted, then ends.
  ~Executor();

  // Operations must not throw. Throws Refusal(CUDA_ERROR_CONTEXT_IS_DESTROYED) after close().
  // `at_once`, if any, is called in the same step: no other operation is submitted, and this one
  // does not begin, before it is done. It must not use the executor.
  Ticket submit(Operation operation, const Operation& at_once = nullptr);
  // The last one submitted.
  [[nodiscard]] Ticket last() const;
  [[nodiscard]] bool done(Ticket ticket) const;
  void wait(Ticket ticket);
  // Whether somebody has asked for the operation that is carried out, or one behind it, to be done.
  [[nodiscard]] bool is_awaited() const { return wanted_.load() > done_.load(); }
  // Takes no more, and waits until all is done.
  void close();
  // Whether the calling thread is the executor's, on which nothing may wait for it.
  [[nodiscard]] bool is_this_thread() const {
    return std::this_thread::get_id() == thread_.get_id();
  }

 private:
  void run();
  // Somebody asks for operations up to this one.
  void want(Ticket ticket) const;

  mutable std::mutex mutex_;
  std::condition_variable submitted_;
  std::condition_variable completed_;
  std::deque<Operation> queue_;
  Ticket last_ = 0;
  std::atomic<Ticket> done_ = 0;  // changes under the mutex alone
  mutable std::atomic<Ticket> wanted_ = 0;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace emulator::api
