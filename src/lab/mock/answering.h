// Which token of which answer is due when, and what is sent then. It knows nothing of sockets: a
// Peer takes the bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "autokernel/lab/mock_server.h"
#include "lab/mock/answer.h"
#include "lab/mock/completion_request.h"
#include "lab/mock/request_log.h"

namespace autokernel::lab {

using MockTime = std::chrono::steady_clock::time_point;
using MockClock = std::function<MockTime()>;

// Who waits for an answer.
class Peer {
 public:
  Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  Peer(Peer&&) = delete;
  Peer& operator=(Peer&&) = delete;
  virtual ~Peer() = default;

  virtual void send(std::string_view bytes) = 0;
  // The answer is complete. Answering has no more to do with the peer.
  virtual void finish() = 0;
  // The connection is to be closed with the answer as it stands; nor has it after this.
  virtual void disconnect() = 0;
};

class Answering {
 public:
  // `settings` and `log` must outlive it.
  Answering(const MockServerSettings& settings, RequestLog& log, MockClock clock);

  // Takes a request of which the last byte came at `arrival`; returns the number of its answer. The
  // peer must live until finish(), disconnect() or abandon().
  std::uint64_t begin(const CompletionRequest& request, Peer& peer, MockTime arrival);
  // The peer is gone. Nothing happens where the answer has ended.
  void abandon(std::uint64_t number);
  // All peers are gone.
  void abandon_all();

  // Sends what is due by now, though not without end: then the time it returns has passed already.
  // Returns when something is due next; none where nothing is.
  [[nodiscard]] std::optional<MockTime> serve();
  // The same without sending.
  [[nodiscard]] std::optional<MockTime> next_due() const;
  // No answer is under way or waits.
  [[nodiscard]] bool is_idle() const { return answers_.empty(); }

 private:
  struct Current {
    std::uint64_t number = 0;
    CompletionRequest request;
    Answer answer;
    ReplyStream stream;
    ReplyLabel label;
    ServerFault fault = ServerFault::none;
    Peer* peer = nullptr;
    std::size_t next = 0;  // token
    MockTime due;
    std::uint64_t jitter_seed = 0;
    std::chrono::nanoseconds first{0};
    std::chrono::nanoseconds each{0};
    LoggedAnswer logged;
  };
  struct Due {
    MockTime time;
    std::uint64_t number = 0;
    // The earliest is the first of the queue; among equals the oldest request.
    friend bool operator<(const Due& one, const Due& other) {
      return one.time != other.time ? one.time > other.time : one.number > other.number;
    }
  };

  void start(Current& current, MockTime at);
  void plan(Current& current);
  [[nodiscard]] MockTime due_time(const Current& current, std::size_t token) const;
  void hand_over(Current& current);
  void hand_over_token(Current& current);
  void hand_over_whole(Current& current);
  void fail_midway(Current& current);
  void send(Current& current, std::string_view bytes);
  [[nodiscard]] Usage claimed_usage(const Current& current) const;
  // `current` is gone after this, and the next that waits has started.
  void end(Current& current, std::string_view how);

  const MockServerSettings& settings_;
  RequestLog& log_;
  MockClock clock_;
  std::uint64_t last_number_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<Current>> answers_;  // under way or waiting
  std::deque<std::uint64_t> waiting_;
  int under_way_ = 0;
  std::priority_queue<Due> due_;
  std::unordered_set<std::uint64_t> seen_;  // hashes of requests
  std::string bytes_;                       // kept for its memory
};

}  // namespace autokernel::lab
