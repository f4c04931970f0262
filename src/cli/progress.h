// One line on a terminal that says what is under way, and is gone once it is not. Elsewhere nothing
// is said, but, once, that another trial is waited for: that can take minutes.
#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

#include "autokernel/trial/result.h"

namespace autokernel::cli {

class Progress {
 public:
  enum class Painting : std::uint8_t { off, on };
  Progress(std::ostream& terminal, Painting painting) : terminal_(terminal), painting_(painting) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  Progress(Progress&&) = delete;
  Progress& operator=(Progress&&) = delete;
  // Leaves the terminal as it was.
  ~Progress() { paint(""); }

  // Repaints only what has changed, so that it can be called often.
  void show(trial::Phase phase, std::chrono::duration<double> elapsed) { show("", phase, elapsed); }
  // "round 2 of 5, kernel.cu: timing ... 1 s"
  void show(const std::string& of, trial::Phase phase, std::chrono::duration<double> elapsed);
  void show(const std::string& what, std::chrono::duration<double> elapsed);

 private:
  void paint(const std::string& line);
  void say_to_wait();

  std::ostream& terminal_;
  Painting painting_;
  std::string shown_;
  bool has_said_to_wait_ = false;
};

}  // namespace autokernel::cli
