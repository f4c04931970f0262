#include "loop/agent.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "autokernel/base/bounded_text.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/process.h"
#include "autokernel/base/process_tree.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/ledger/ledger.h"

namespace autokernel::loop {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How often the deadline is looked at and progress shown.
constexpr milliseconds kWatch{250};
// Beginning and end of what an agent says; one that never stops writing fills no disk.
constexpr std::size_t kMostOutput = 1U << 20U;
// Reads before the clock is looked at: a few milliseconds' worth.
constexpr int kMostPieces = 64;
constexpr std::size_t kLongestIdea = 500;
constexpr std::uint64_t kLargestIdeaFile = 1U << 20U;

// The agent while it runs: its input fed, its output drained.
class Conversation {
 public:
  explicit Conversation(const AgentCommand& command)
      : unsent_(command.brief), child_(Child::start(shell(command))) {}

  // Waits for something to do, for a signal or for `kWatch`. False once the agent has closed its
  // output.
  [[nodiscard]] bool go_on(int interrupts) {
    std::array<pollfd, 3> watched = {
        pollfd{.fd = child_.output().get(), .events = POLLIN, .revents = 0},
        pollfd{.fd = interrupts, .events = POLLIN, .revents = 0},
        pollfd{.fd = unsent_.empty() ? -1 : child_.input().get(), .events = POLLOUT, .revents = 0}};
    static_cast<void>(::poll(watched.data(), watched.size(), static_cast<int>(kWatch.count())));
    feed();
    return drain();
  }

  [[nodiscard]] Child& child() { return child_; }
  void finish(AgentTurn& turn) {
    static_cast<void>(drain());
    turn.output = output_.text();
    turn.bytes = bytes_;
  }

 private:
  [[nodiscard]] static Command shell(const AgentCommand& command) {
    Command shell{.program = "/bin/sh",
                  .arguments = {"-c", "cd \"$AUTOKERNEL_ROOT\" || exit 126\n" + command.line},
                  .environment = command.environment};
    shell.environment["AUTOKERNEL_ROOT"] = command.directory.string();
    return shell;
  }

  void feed() {
    while (!unsent_.empty()) {
      const ssize_t count =
          ::send(child_.input().get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count < 0) unsent_.clear();  // an agent need not read its brief
      if (count > 0) unsent_.erase(0, static_cast<std::size_t>(count));
    }
    child_.input().close();
  }

  [[nodiscard]] bool drain() {
    std::array<char, 65536> piece{};
    // Somebody who floods us must not keep us from the clock.
    for (int i = 0; i < kMostPieces; ++i) {
      const ssize_t count = ::read(child_.output().get(), piece.data(), piece.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return errno == EAGAIN;
      if (count == 0) return false;
      output_.add({piece.data(), static_cast<std::size_t>(count)});
      bytes_ += static_cast<std::uint64_t>(count);
    }
    return true;
  }

  std::string unsent_;
  BoundedText output_{kMostOutput};
  std::uint64_t bytes_ = 0;
  Child child_;
};

[[nodiscard]] std::string how_it_ended(const Ending& ending) {
  if (ending.signal == 0) return fmt::format("exit code {}", ending.code);
  const char* name = ::sigabbrev_np(ending.signal);
  return name == nullptr ? fmt::format("signal {}", ending.signal) : fmt::format("SIG{}", name);
}

// What follows the mark on the last line that begins with it.
[[nodiscard]] std::string last_marked(const std::string& output) {
  constexpr std::string_view kMark = "IDEA:";
  std::string marked;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const std::string_view line = std::string_view(output).substr(begin, end - begin);
    if (line.starts_with(kMark)) marked = line.substr(kMark.size());
    begin = end + 1;
  }
  return marked;
}

}  // namespace

AgentTurn run_agent(const AgentCommand& command, const Interrupts& interrupts,
                    const std::function<void(std::chrono::duration<double>)>& waiting) {
  const auto begun = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begun); };
  AgentTurn turn;
  const ProcessTree tree;
  {
    Conversation conversation(command);
    std::optional<Ending> ending;
    while (!ending) {
      const bool talking = conversation.go_on(interrupts.descriptor());
      if (const std::optional<int> signal = interrupts.next()) {
        turn.ending = AgentTurn::Ending::interrupted;
        turn.signal = *signal;
        break;
      }
      if (elapsed() >= command.timeout) {
        turn.ending = AgentTurn::Ending::timed_out;
        turn.how = fmt::format("did not end within {:.0f} s", command.timeout.count());
        break;
      }
      if (waiting) waiting(elapsed());
      // An agent may end and leave a process that holds its output open.
      ending = conversation.child().wait_until(talking ? Clock::now() : Clock::now() + kWatch);
    }
    if (!ending) static_cast<void>(conversation.child().kill());
    if (ending && (ending->code != 0 || ending->signal != 0)) {
      turn.ending = AgentTurn::Ending::failed;
      turn.how = how_it_ended(*ending);
    }
    conversation.finish(turn);
  }
  const int left = tree.kill_all();
  // An agent that was ended could not end its own.
  const bool by_itself =
      turn.ending == AgentTurn::Ending::done || turn.ending == AgentTurn::Ending::failed;
  turn.stragglers = by_itself ? left : 0;
  turn.seconds = elapsed().count();
  return turn;
}

std::string last_words(const std::string& output) {
  constexpr std::size_t kLongest = 200;
  const std::size_t end = output.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const std::size_t before = output.find_last_of("\r\n", end);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const std::string line = output.substr(begin, std::min(end + 1 - begin, kLongest));
  return "; its last line: " + visible_line(line);
}

std::string idea_of(const std::filesystem::path& file, const std::string& output) {
  std::string idea;
  try {
    // Not by way of a link: what it says is recorded, and the agent may not be the one to read it.
    idea =
        read_file_below(file.parent_path(), file.filename(), "the agent's idea", kLargestIdeaFile)
            .value_or("");
  } catch (const Error&) {
    idea.clear();  // it is a courtesy; the experiment counts without it
  }
  if (idea.find_first_not_of(" \t\r\n") == std::string::npos) idea = last_marked(output);
  idea = visible_line(idea);
  idea.erase(0, std::min(idea.find_first_not_of(' '), idea.size()));
  idea.erase(idea.find_last_not_of(' ') + 1);
  if (idea.size() > kLongestIdea) idea = visible_line(idea.substr(0, kLongestIdea));
  return idea;
}

}  // namespace autokernel::loop
