#include "trial/supervise/questions.h"

#include <pthread.h>

#include <utility>

namespace autokernel::trial {
namespace {

sigset_t the_question() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, kWhereaboutsQuestion);
  return signals;
}

}  // namespace

void hold_questions() {
  const sigset_t question = the_question();
  pthread_sigmask(SIG_BLOCK, &question, nullptr);
}

Answering::Answering(std::function<void()> answer) : answer_(std::move(answer)) {
  // The thread has it held from its first moment on: a question that came earlier would end us.
  hold_questions();
  thread_ = std::thread([this] { run(); });
}

Answering::~Answering() {
  ending_ = true;
  pthread_kill(thread_.native_handle(), kWhereaboutsQuestion);
  thread_.join();
}

void Answering::run() const {
  const sigset_t question = the_question();
  for (int signal = 0; sigwait(&question, &signal) == 0 && !ending_;) {
    answer_();
  }
}

}  // namespace autokernel::trial
