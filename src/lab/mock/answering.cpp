#include "lab/mock/answering.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "lab/random_bits.h"

namespace autokernel::lab {
namespace {

// After so many tokens in a row, requests that have come meanwhile are read: some 2 ms of sending.
constexpr int kMostTokensInARow = 256;
// Requests that the fault `cache` remembers; a test has far fewer.
constexpr std::size_t kMostSeenRequests = 1'000'000;

[[nodiscard]] std::uint64_t request_hash(const CompletionRequest& request) {
  const std::uint64_t prompt = hashed(request.prompt);
  return RandomBits(prompt ^ request.seed ^ (request.max_tokens << 32U)).next();
}

[[noreturn]] void crash_without_core() {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &none);
  std::abort();
}

}  // namespace

Answering::Answering(const MockServerSettings& settings, RequestLog& log, MockClock clock)
    : settings_(settings), log_(log), clock_(std::move(clock)) {}

std::uint64_t Answering::begin(const CompletionRequest& request, Peer& peer, MockTime arrival) {
  const std::uint64_t number = ++last_number_;
  auto owned = std::make_unique<Current>();
  Current& current = *owned;
  current.number = number;
  current.request = request;
  current.peer = &peer;
  current.label = {
      .endpoint = request.endpoint,
      .id = (request.endpoint == Endpoint::chat ? "chatcmpl-" : "cmpl-") + std::to_string(number),
      .created = std::time(nullptr),
      .model = settings_.model};
  current.logged.id = current.label.id;
  current.logged.arrival = arrival;
  answers_.emplace(number, std::move(owned));
  if (settings_.max_concurrency > 0 && under_way_ >= settings_.max_concurrency) {
    waiting_.push_back(number);
  } else {
    start(current, arrival);
  }
  return number;
}

void Answering::start(Current& current, MockTime at) {
  ++under_way_;
  current.logged.start = at;
  // Which requests a fault befalls is a function of the seed and the number of the request.
  RandomBits random(RandomBits(settings_.seed).next() ^ current.number);
  if (random.share() < settings_.fault_share) current.fault = settings_.fault;
  plan(current);
  current.due = due_time(current, 0);
  if (!current.request.streamed && current.answer.tokens() > 0) {
    current.due = due_time(current, current.answer.tokens() - 1);
  }
  due_.push({.time = current.due, .number = current.number});
}

// The answer, and how fast it comes.
void Answering::plan(Current& current) {
  const CompletionRequest& request = current.request;
  const AnswerKey key = {.model = settings_.model,
                         .seed = settings_.seed ^ RandomBits(request.seed).next(),
                         .prompt = request.prompt};
  current.answer = make_answer(key, request.max_tokens, request.stop);
  current.jitter_seed = key_hash(key);
  current.stream = ReplyStream(current.label);
  current.first = settings_.time_to_first_token;
  current.each = settings_.time_per_token;
  if (current.fault == ServerFault::slow) {
    current.first *= kSlowFactor;
    current.each *= kSlowFactor;
  }
  if (current.fault == ServerFault::cache) {
    const bool is_new =
        seen_.size() < kMostSeenRequests && seen_.insert(request_hash(request)).second;
    if (is_new) {
      current.fault = ServerFault::none;
    } else {
      current.first = current.each = std::chrono::nanoseconds{0};
    }
  }
  current.logged.usage = {.prompt_tokens = request.prompt_tokens, .completion_tokens = 0};
  current.logged.fault = server_fault_name(current.fault);
  if (log_.is_kept()) current.logged.handed_over.reserve(current.answer.tokens());
}

MockTime Answering::due_time(const Current& current, std::size_t token) const {
  MockTime due =
      current.logged.start + current.first + current.each * static_cast<std::int64_t>(token);
  if (settings_.jitter.count() > 0) {
    RandomBits random(current.jitter_seed ^ token);
    due += std::chrono::nanoseconds(
        std::llround(random.share() * static_cast<double>(settings_.jitter.count())));
  }
  return std::max(due, current.due);
}

Usage Answering::claimed_usage(const Current& current) const {
  Usage usage = {.prompt_tokens = current.request.prompt_tokens,
                 .completion_tokens = current.answer.tokens()};
  if (current.fault == ServerFault::wrong_usage) {
    usage.completion_tokens = static_cast<std::size_t>(
        std::ceil(kWrongUsageFactor * static_cast<double>(usage.completion_tokens)));
  }
  return usage;
}

std::optional<MockTime> Answering::serve() {
  for (int sent = 0; sent < kMostTokensInARow && !due_.empty(); ++sent) {
    const Due due = due_.top();
    if (due.time > clock_()) break;
    due_.pop();
    const auto found = answers_.find(due.number);
    if (found == answers_.end()) continue;  // abandoned
    hand_over(*found->second);
  }
  return next_due();
}

std::optional<MockTime> Answering::next_due() const {
  if (due_.empty()) return {};
  return due_.top().time;
}

void Answering::hand_over(Current& current) {
  if (current.fault == ServerFault::http_500) {
    send(current, http_reply(500,
                             refusal_body({.status = 500,
                                           .message = "the fault http-500 of the mock server",
                                           .type = "server_error"}),
                             true));
    Peer& peer = *current.peer;
    end(current, "faulty");
    peer.finish();
    return;
  }
  const bool is_midway = !current.request.streamed || current.next == current.answer.tokens() / 2;
  const bool fails = current.fault == ServerFault::hang || current.fault == ServerFault::crash ||
                     current.fault == ServerFault::disconnect;
  if (fails && is_midway) {
    fail_midway(current);
  } else if (current.request.streamed) {
    hand_over_token(current);
  } else {
    hand_over_whole(current);
  }
}

void Answering::hand_over_token(Current& current) {
  const std::size_t tokens = current.answer.tokens();
  bytes_.clear();
  if (current.next == 0) current.stream.add_begin(bytes_);
  if (current.fault == ServerFault::bad_json && current.next == tokens / 2) {
    current.stream.add_damaged(bytes_);
  }
  if (current.next < tokens) current.stream.add_token(bytes_, current.answer.token(current.next));
  ++current.next;
  const bool is_last = current.next >= tokens;
  if (is_last) {
    const bool tells = current.request.usage_in_stream;
    current.stream.add_end(bytes_, current.answer.stopped ? "stop" : "length",
                           tells ? std::optional(claimed_usage(current)) : std::nullopt);
  }
  current.logged.usage.completion_tokens = std::min(current.next, tokens);
  Peer& peer = *current.peer;
  send(current, bytes_);
  if (is_last) {
    end(current, "finished");
    peer.finish();
  } else {
    current.due = due_time(current, current.next);
    due_.push({.time = current.due, .number = current.number});
  }
}

void Answering::hand_over_whole(Current& current) {
  const std::string body =
      current.fault == ServerFault::bad_json
          ? R"({"id":"damaged","choices":[{)"
          : reply_body(current.label, current.answer.text,
                       current.answer.stopped ? "stop" : "length", claimed_usage(current));
  current.logged.usage.completion_tokens = current.answer.tokens();
  Peer& peer = *current.peer;
  send(current, http_reply(200, body, true));
  end(current, "finished");
  peer.finish();
}

// Half an answer has been sent, and no more of it comes.
void Answering::fail_midway(Current& current) {
  if (current.fault == ServerFault::hang) return;  // it stays under way, and nothing is due
  const bool crashes = current.fault == ServerFault::crash;
  Peer& peer = *current.peer;
  end(current, "faulty");
  if (crashes) {
    log_.flush();
    crash_without_core();
  }
  peer.disconnect();
}

// The time is taken before: the kernel delivers to a client on this machine within the call.
void Answering::send(Current& current, std::string_view bytes) {
  if (log_.is_kept()) current.logged.handed_over.push_back(clock_());
  current.peer->send(bytes);
}

void Answering::abandon(std::uint64_t number) {
  const auto found = answers_.find(number);
  if (found != answers_.end()) end(*found->second, "abandoned");
}

void Answering::abandon_all() {
  waiting_.clear();
  for (auto& [number, current] : answers_) {
    current->logged.ended = "abandoned";
    log_.add(current->logged);
  }
  answers_.clear();
  under_way_ = 0;
}

void Answering::end(Current& current, std::string_view how) {
  current.logged.ended = how;
  log_.add(current.logged);
  const auto waits = std::ranges::find(waiting_, current.number);
  if (waits != waiting_.end()) {
    waiting_.erase(waits);
  } else {
    --under_way_;
  }
  answers_.erase(current.number);
  while (!waiting_.empty() && under_way_ < settings_.max_concurrency) {
    Current& next = *answers_.at(waiting_.front());
    waiting_.pop_front();
    start(next, clock_());
  }
}

}  // namespace autokernel::lab
