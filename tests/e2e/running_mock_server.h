// `autokernel mock-server` as a process of its own, for the tests that talk to it.
#pragma once

#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autokernel/base/descriptor.h"
#include "e2e/workplace.h"

namespace autokernel::test {

// On a free port, with further arguments; it is stopped with its owner.
class RunningServer {
 public:
  RunningServer(Invocation invocation, const std::vector<std::string>& more) {
    invocation.arguments = {"mock-server", "--port", "0"};
    invocation.arguments.insert(invocation.arguments.end(), more.begin(), more.end());
    Pipe pipe = make_pipe();
    invocation.out = pipe.writing.get();
    program_ = std::make_unique<RunningProgram>(invocation);
    pipe.writing.close();
    std::string line;
    for (char byte = 0; byte != '\n' && ::read(pipe.reading.get(), &byte, 1) == 1;) line += byte;
    EXPECT_THAT(line, testing::StartsWith("listening: http://127.0.0.1:"))
        << program_->err_so_far();
    constexpr std::size_t kLabel = 11;
    if (line.size() > kLabel) url_ = line.substr(kLabel, line.size() - kLabel - 1);
  }

  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;
  RunningServer(RunningServer&&) = delete;
  RunningServer& operator=(RunningServer&&) = delete;
  ~RunningServer() {
    if (program_ != nullptr) static_cast<void>(stop());
  }

  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] Outcome wait() {
    const std::unique_ptr<RunningProgram> program = std::move(program_);
    return program->wait(std::chrono::seconds{20});
  }
  [[nodiscard]] Outcome stop(int signal = SIGTERM) {
    program_->send(signal);
    return wait();
  }

 private:
  std::unique_ptr<RunningProgram> program_;
  std::string url_;
};

}  // namespace autokernel::test
