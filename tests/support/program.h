// Programs run from outside, as a user runs them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "autokernel/base/descriptor.h"

namespace autokernel::test {

struct Invocation {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::filesystem::path directory;                 // where it runs
  std::map<std::string, std::string> environment;  // on top of ours
  // Descriptors that its outputs go to, a terminal's say; -1: they are kept for Outcome.
  int out = -1;
  int err = -1;
};

// What a program that has ended did.
struct Outcome {
  int code = -1;  // what the shell would show: the exit code, or 128 + signal
  std::string out;
  std::string err;
  double seconds = 0;
};

// A program that runs. Its output goes to memory, so that it leaves no file and never waits for a
// reader.
class RunningProgram {
 public:
  explicit RunningProgram(const Invocation& invocation);

  [[nodiscard]] pid_t id() const { return id_; }
  void send(int signal) const;
  // What it has printed so far, and on standard error.
  [[nodiscard]] std::string out_so_far() const;
  [[nodiscard]] std::string err_so_far() const;
  // Waits for its end; kills it, and says code 137, where that takes more than `patience`.
  [[nodiscard]] Outcome wait(std::chrono::seconds patience = std::chrono::seconds{120});

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  Descriptor out_;
  Descriptor err_;
  pid_t id_ = 0;
};

// What is run from now on has a resident process of its own, whatever another test runs meanwhile:
// one serves only those that have its resource limits.
void share_no_resident();

// Runs it to its end.
[[nodiscard]] Outcome run(const Invocation& invocation);

}  // namespace autokernel::test
