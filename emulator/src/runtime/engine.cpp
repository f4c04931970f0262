#include "runtime/engine.h"

#include <pthread.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace emulator::runtime {
Engine::Engine(unsigned workers) {
  // Signals are the program's business and go to its own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (unsigned i = 1; i < std::max(workers, 1U); ++i) helpers_.emplace_back([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Engine::~Engine() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void Engine::work() {
  Workers workers;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return ending_ || wanted_ != 0; });
    if (ending_) return;
    --wanted_;
    ++working_;
    lock.unlock();
    share(workers);
    lock.lock();
    if (--working_ == 0) done_.notify_all();
  }
}

void Engine::share(Workers& workers) {
  if (chain_ != nullptr) return chain_->work(workers);
  try {
    if (workers[0] == nullptr) workers[0] = std::make_unique<Worker>();
    workers[0]->run(*launch_, *progress_, threads());
  } catch (...) {
    // The other workers' blocks may be waiting for one that will never run.
    progress_->stop();
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
}

std::optional<Fault> Engine::run(const Launch& launch) {
  LaunchProgress progress(launch.cluster_count());
  {
    const std::lock_guard lock(mutex_);
    launch_ = &launch;
    progress_ = &progress;
    wanted_ = std::min<std::uint64_t>(helpers_.size(),
                                      std::min(launch.cluster_count(), launch.most_workers) - 1);
    failure_ = nullptr;
  }
  wake_.notify_all();
  share(own_);
  std::unique_lock lock(mutex_);
  // Helpers that have not woken up yet find nothing left to do.
  wanted_ = 0;
  done_.wait(lock, [this] { return working_ == 0; });
  progress_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  return progress.fault();
}

void Engine::run(ChainSource& source) {
  Chain chain(source, threads());
  {
    const std::lock_guard lock(mutex_);
    chain_ = &chain;
    wanted_ = helpers_.size();
  }
  wake_.notify_all();
  share(own_);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return wanted_ == 0 && working_ == 0; });
  chain_ = nullptr;
  if (chain.failure()) std::rethrow_exception(chain.failure());
}

std::string Engine::whereabouts() {
  const std::lock_guard lock(mutex_);
  if (chain_ != nullptr) return chain_->whereabouts();
  if (progress_ == nullptr) return "";
  UnitPositions positions{.unit = launch_->unit};
  progress_->add_positions(positions);
  return positions.text(launch_->lines);
}

unsigned default_workers() {
  constexpr unsigned kMostWorkers = 1024;
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1U);
  const char* wanted = std::getenv("EMULATED_CUDA_THREADS");
  if (wanted == nullptr) return cores;
  const std::string_view text(wanted);
  unsigned workers = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), workers);
  const bool sensible = error == std::errc() && end == text.data() + text.size() && workers >= 1 &&
                        workers <= kMostWorkers;
  return sensible ? workers : cores;
}

}  // namespace emulator::runtime
