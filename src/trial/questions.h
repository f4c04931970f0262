// The one question that a runner is asked while it is at work: where the warps of its kernel stand,
// shortly before it is killed for taking too long. It is asked by a signal, which reaches a process
// whose every thread is busy or waits for the device.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <string>
#include <thread>

#include "autokernel/driver/device.h"
#include "autokernel/trial/runner.h"

namespace autokernel::trial {

inline constexpr int kWhereaboutsQuestion = SIGUSR1;

// Answers while it lives; `device` must live longer. Where hold_questions() has not been called, or
// a question would go unanswered for another reason, the process goes on all the same.
class Answering {
 public:
  Answering(const driver::Device& device, std::function<void(const std::string&)> answer);
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;
  ~Answering();

 private:
  void run() const;

  const driver::Device* device_;
  std::function<void(const std::string&)> answer_;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace autokernel::trial
