#include "autokernel/trial/place_link.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <csignal>

#include "autokernel/base/bounded_text.h"
#include "autokernel/base/drain.h"
#include "autokernel/base/line_buffer.h"
#include "autokernel/base/process.h"
#include "autokernel/base/visible_text.h"
#include "trial/supervise/place_command.h"

namespace autokernel::trial {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestPlaceLine = std::size_t{64} << 20U;
constexpr std::size_t kMostSaid = 2000;

// Its standard output becomes the channel for messages: what ssh says itself goes another way.
[[nodiscard]] Child started(const PlaceCommand& command) {
  std::vector<std::string> arguments = {"-c", "exec \"$@\" >&3 3>&-", "sh",
                                        command.program.string()};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  return Child::start({.program = "/bin/sh",
                       .arguments = std::move(arguments),
                       .environment = {},
                       .inherits = Inherits::everything});
}

}  // namespace

struct PlaceLink::State {
  explicit State(const std::string& place) : command(command_at(place)), child(started(command)) {}

  PlaceCommand command;
  Child child;
  LineBuffer lines;
  BoundedText said{kMostSaid};
  std::string unsent;
  bool is_broken = false;
};

PlaceLink::PlaceLink(const std::string& place) : state_(std::make_unique<State>(place)) {}

PlaceLink::~PlaceLink() {
  const auto patience = state_->command.patience;
  if (patience.count() == 0) return;
  Child& child = state_->child;
  child.input().close();
  if (child.wait_until(Clock::now() + patience)) return;
  ::kill(-child.id(), SIGTERM);
  [[maybe_unused]] const auto ended = child.wait_until(Clock::now() + patience);
}

bool PlaceLink::is_queued() const { return state_->command.is_queued; }
void PlaceLink::send(const std::string& line) { state_->unsent += line; }

std::vector<PlaceLink::Wait> PlaceLink::waits_for() const {
  std::vector<Wait> waits = {{state_->child.messages().get(), POLLIN},
                             {state_->child.output().get(), POLLIN}};
  if (!state_->unsent.empty()) waits.push_back({state_->child.input().get(), POLLOUT});
  return waits;
}

void PlaceLink::exchange() {
  State& state = *state_;
  std::size_t sent = 0;
  while (sent < state.unsent.size() && !state.is_broken) {
    const ssize_t count = ::send(state.child.input().get(), state.unsent.data() + sent,
                                 state.unsent.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count < 0) state.is_broken = true;
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
  state.unsent.erase(0, sent);
  drain(state.child.output(), [&](std::string_view piece) { state.said.add(piece); });
  drain(state.child.messages(), [&](std::string_view piece) { state.lines.add(piece); });
  if (state.lines.unfinished() > kLongestPlaceLine) {
    state.is_broken = true;
    state.said.add("it sends no end of a message");
  }
}

std::optional<std::string> PlaceLink::next_line() { return state_->lines.next(); }
bool PlaceLink::is_over() const { return state_->is_broken || !state_->child.messages().is_open(); }
std::string PlaceLink::said() const { return visible_line(state_->said.text()); }

void PlaceLink::end_input() {
  state_->unsent.clear();
  state_->child.input().close();
}

void PlaceLink::kill() {
  state_->command.patience = {};
  [[maybe_unused]] const Ending ending = state_->child.kill();
}

}  // namespace autokernel::trial
