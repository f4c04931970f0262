#include "api/executor.h"

#include <pthread.h>

#include <csignal>
#include <limits>
#include <utility>

#include "api/error_translation.h"

namespace emulator::api {

Executor::Executor() {
  // Signals are the program's business and go to its own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Executor::~Executor() {
  want(std::numeric_limits<Ticket>::max());
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  submitted_.notify_all();
  thread_.join();
}

Ticket Executor::submit(Operation operation, const Operation& at_once) {
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    require(!closed_, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    queue_.push_back(std::move(operation));
    ticket = ++last_;
    if (at_once) at_once(ticket);
  }
  submitted_.notify_one();
  return ticket;
}

Ticket Executor::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

void Executor::want(Ticket ticket) const {
  Ticket seen = wanted_.load();
  while (seen < ticket && !wanted_.compare_exchange_weak(seen, ticket)) {
  }
}

bool Executor::done(Ticket ticket) const {
  want(ticket);
  const std::lock_guard lock(mutex_);
  return done_ >= ticket;
}

void Executor::wait(Ticket ticket) {
  want(ticket);
  std::unique_lock lock(mutex_);
  completed_.wait(lock, [&] { return done_ >= ticket; });
}

void Executor::close() {
  want(std::numeric_limits<Ticket>::max());
  std::unique_lock lock(mutex_);
  closed_ = true;
  completed_.wait(lock, [&] { return done_ >= last_; });
}

void Executor::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    submitted_.wait(lock, [this] { return closed_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Operation operation = std::move(queue_.front());
    queue_.pop_front();
    const Ticket ticket = done_.load(std::memory_order_relaxed) + 1;
    lock.unlock();
    operation(ticket);
    operation = nullptr;  // what it owned is given back before anybody learns that it is done
    lock.lock();
    done_.store(ticket, std::memory_order_release);
    completed_.notify_all();
  }
}

}  // namespace emulator::api
