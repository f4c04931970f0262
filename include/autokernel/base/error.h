// The second of the two channels for failure: why the tool itself had to stop. A bad kernel is
// never an Error; it is a verdict (autokernel/trial/result.h).
#pragma once

#include <stdexcept>
#include <string>

namespace autokernel {

// What stopped the tool; the value is the exit code, so that scripts can branch on it.
enum class Stop : int {
  usage = 2,
  environment = 3,
  repository = 4,
  scope = 15,   // something other than the editable files was changed
  budget = 20,  // no more experiments are to be made
  internal = 70
};

// Caught in main alone, which prints what() on one line and returns stop(). A message says what was
// attempted, on what, and what to do; the name of a failing call comes last, in brackets.
class Error : public std::runtime_error {
 public:
  Error(Stop stop, const std::string& what) : std::runtime_error(what), stop_(stop) {}
  [[nodiscard]] Stop stop() const noexcept { return stop_; }

 private:
  Stop stop_;
};

}  // namespace autokernel
