#include "autokernel/base/run_to_end.h"

#include <unistd.h>

#include <array>

#include "autokernel/base/bounded_text.h"

namespace autokernel {
namespace {

// How often what it printed is read: a pipe holds 64 KiB.
constexpr std::chrono::milliseconds kInterval{10};
// Reads before the clock is looked at, as some never stop writing.
constexpr int kMostPieces = 64;

void read_into(BoundedText& text, const Descriptor& from) {
  std::array<char, 4096> piece{};
  for (int i = 0; i < kMostPieces; ++i) {
    const ssize_t count = ::read(from.get(), piece.data(), piece.size());
    if (count <= 0) return;
    text.add({piece.data(), static_cast<std::size_t>(count)});
  }
}

}  // namespace

EndedRun run_to_end(const Command& command, std::chrono::seconds patience, std::size_t most_output,
                    const std::function<void()>& meanwhile) {
  using Clock = std::chrono::steady_clock;
  Child child = Child::start(command);
  BoundedText said(most_output);
  EndedRun run;
  for (const auto deadline = Clock::now() + patience; !run.ending && Clock::now() < deadline;) {
    read_into(said, child.output());
    run.ending = child.wait_until(Clock::now() + kInterval);
    meanwhile();
  }
  read_into(said, child.output());
  run.output = said.text();
  return run;
}

}  // namespace autokernel
