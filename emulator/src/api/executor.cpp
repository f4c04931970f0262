#include "api/executor.h"

#include <pthread.h>

#include <csignal>
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
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  submitted_.notify_all();
  thread_.join();
}

Ticket Executor::submit(Operation operation) {
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    require(!closed_, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    queue_.push_back(std::move(operation));
    ticket = ++last_;
  }
  submitted_.notify_one();
  return ticket;
}

Ticket Executor::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

bool Executor::done(Ticket ticket) const {
  const std::lock_guard lock(mutex_);
  return done_ >= ticket;
}

void Executor::wait(Ticket ticket) {
  std::unique_lock lock(mutex_);
  completed_.wait(lock, [&] { return done_ >= ticket; });
}

void Executor::close() {
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
    const Ticket ticket = done_ + 1;
    lock.unlock();
    operation(ticket);
    operation = nullptr;  // what it owned is given back before anybody learns that it is done
    lock.lock();
    done_ = ticket;
    completed_.notify_all();
  }
}

}  // namespace emulator::api
