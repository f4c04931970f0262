#include "cli/progress.h"

#include <fmt/format.h>

namespace autokernel::cli {
namespace {

// Back to the first column, and erase to the end of the line.
constexpr const char* kErase = "\r\033[K";

[[nodiscard]] const char* description(trial::Phase phase) {
  switch (phase) {
    case trial::Phase::start:
      return "starting the device";
    case trial::Phase::queue:
      return "waiting for the device";
    case trial::Phase::compile:
      return "compiling";
    case trial::Phase::check:
      return "checking";
    case trial::Phase::time:
      return "timing";
    case trial::Phase::confirm:
      return "timing each kernel in its own process";
    case trial::Phase::harness:
      return "measuring without the kernel";
  }
  return "running";
}

}  // namespace

void Progress::show(const std::string& of, trial::Phase phase,
                    std::chrono::duration<double> elapsed) {
  // A device is free in less where nobody else has it.
  constexpr std::chrono::seconds kWorthSaying{1};
  if (phase == trial::Phase::queue && elapsed >= kWorthSaying) say_to_wait();
  show(of.empty() ? description(phase) : fmt::format("{}: {}", of, description(phase)), elapsed);
}

void Progress::show(const std::string& what, std::chrono::duration<double> elapsed) {
  paint(fmt::format("{} ... {:.0f} s", what, elapsed.count()));
}

void Progress::say_to_wait() {
  if (painting_ == Painting::on || has_said_to_wait_) return;
  has_said_to_wait_ = true;
  terminal_ << "autokernel: " << description(trial::Phase::queue) << '\n' << std::flush;
}

void Progress::paint(const std::string& line) {
  if (painting_ == Painting::off || line == shown_) return;
  terminal_ << kErase << line << std::flush;
  shown_ = line;
}

}  // namespace autokernel::cli
