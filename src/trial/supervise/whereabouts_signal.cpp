#include "trial/supervise/whereabouts_signal.h"

#include <pthread.h>

#include <utility>

namespace autokernel::trial {
namespace {

sigset_t whereabouts_signal_set() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, kWhereaboutsSignal);
  return signals;
}

}  // namespace

void block_whereabouts_signal() {
  const sigset_t question = whereabouts_signal_set();
  pthread_sigmask(SIG_BLOCK, &question, nullptr);
}

WhereaboutsResponder::WhereaboutsResponder(std::function<void()> answer)
    : answer_(std::move(answer)) {
  // The thread has it held from its first moment on: a question that came earlier would end us.
  block_whereabouts_signal();
  thread_ = std::thread([this] { run(); });
}

WhereaboutsResponder::~WhereaboutsResponder() {
  ending_ = true;
  pthread_kill(thread_.native_handle(), kWhereaboutsSignal);
  thread_.join();
}

void WhereaboutsResponder::run() const {
  const sigset_t question = whereabouts_signal_set();
  for (int signal = 0; sigwait(&question, &signal) == 0 && !ending_;) {
    answer_();
  }
}

}  // namespace autokernel::trial
