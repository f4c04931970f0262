// A lock that cannot hang the program: who does not get it within two seconds goes without. That
// happens where a signal handler or an exit() interrupts the very thread that holds it.
#pragma once

#include <pthread.h>

#include <ctime>

namespace recording {

// Of pthread rather than std::mutex, whose lock() throws: nothing of the C++ runtime is to be
// needed in the processes that this library is loaded into.
class Lock {
 public:
  [[nodiscard]] bool take() {
    if (::pthread_mutex_trylock(&mutex_) == 0) return true;
    std::timespec until{};
    ::clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += kPatienceSeconds;
    return ::pthread_mutex_timedlock(&mutex_, &until) == 0;
  }
  void give() { ::pthread_mutex_unlock(&mutex_); }

 private:
  static constexpr std::time_t kPatienceSeconds = 2;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

// Holds a lock for as long as it lives, where it got it.
class [[nodiscard]] Locked {
 public:
  explicit Locked(Lock& lock) : lock_(lock), held_(lock.take()) {}
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  Locked(Locked&&) = delete;
  Locked& operator=(Locked&&) = delete;
  ~Locked() {
    if (held_) lock_.give();
  }
  explicit operator bool() const { return held_; }

 private:
  Lock& lock_;
  bool held_;
};

}  // namespace recording
