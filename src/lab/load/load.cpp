// The two loops that start requests, closed and open.
#include "autokernel/lab/load.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "autokernel/base/descriptor_limit.h"
#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/http/transfers.h"
#include "lab/load/arrivals.h"
#include "lab/load/exchange.h"
#include "lab/load/prompts.h"

namespace autokernel::lab {
namespace {

// At the beginning of a closed loop, so many are started between two looks at what has come: a
// thousand in a row would keep the first answers waiting for a tenth of a second.
constexpr int kStartsInARow = 4;
// Without a single answer among them, the server is not there or knows no such request.
constexpr std::size_t kHopelessFailures = 1000;
// Requests under way in an open loop whose server does not keep up; further ones are sent late.
constexpr std::size_t kMostUnderWay = 16'000;
// Besides connections: libraries, files, epoll, the timer.
constexpr std::size_t kSpareDescriptors = 64;
constexpr std::uint64_t kArrivalStream = 4;  // prompts.cpp has those before
// Of progress that is shown to somebody.
constexpr double kProgressSeconds = 0.1;

[[nodiscard]] double own_cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  constexpr double kMicro = 1e-6;
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         kMicro * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

[[nodiscard]] http::TransferTime time_point_of(double seconds) {
  return http::TransferTime(std::chrono::duration_cast<http::TransferTime::duration>(
      std::chrono::duration<double>(seconds)));
}

[[nodiscard]] http::TransferTarget target_of(const LoadSettings& settings) {
  std::string base = settings.url;
  if (!base.starts_with("http://") && !base.starts_with("https://")) {
    throw Error(Stop::usage, fmt::format("cannot send requests to '{}': --url begins with http:// "
                                         "or https://",
                                         settings.url));
  }
  while (base.ends_with('/')) base.pop_back();
  if (!base.ends_with("/v1")) base += "/v1";
  http::TransferTarget target{
      .url = base + (settings.is_chat ? "/chat/completions" : "/completions"),
      .header_lines = {"Content-Type: application/json"},
      .deadline = settings.deadline};
  if (!settings.api_key.empty()) {
    target.header_lines.push_back("Authorization: Bearer " + settings.api_key);
  }
  return target;
}

class Generator {
 public:
  Generator(const http::CurlLibrary& curl, const LoadSettings& settings,
            const LoadProgress& progress)
      : settings_(settings),
        progress_(progress),
        prompts_(settings),
        transfers_(curl, target_of(settings)) {
    const std::size_t descriptors = raise_descriptor_limit();
    const std::size_t connections =
        settings.rate ? kMostUnderWay : static_cast<std::size_t>(settings.concurrency);
    if (!settings.rate && descriptors < connections + kSpareDescriptors) {
      throw Error(Stop::environment,
                  fmt::format("cannot have {} requests under way: this process may have {} "
                              "descriptors; raise the limit (ulimit -Hn), or lower --concurrency",
                              connections, descriptors));
    }
    most_under_way_ =
        std::min(connections, std::max(descriptors, 2 * kSpareDescriptors) - kSpareDescriptors);
    transfers_.wake_on(interrupts_.descriptor());
  }

  [[nodiscard]] LoadRun run() {
    run_.began = monotonic_seconds();
    double cpu = own_cpu_seconds();
    try {
      warm_up();
      transfers_.reset_delay();
      run_.began = monotonic_seconds();
      cpu = own_cpu_seconds();
      if (run_.gave_up.empty()) make_load();
    } catch (const Interrupted& interrupted) {
      if (!settings_.ends_early) throw;
      run_.signal = interrupted.signal();
      run_.gave_up = "it was interrupted";
    }
    run_.ended = monotonic_seconds();
    run_.cpu_seconds = own_cpu_seconds() - cpu;
    const http::HandlingDelay& delay = transfers_.delay();
    run_.handled_events = delay.events;
    run_.late_events = delay.late_events;
    run_.longest_delay = std::chrono::duration<double>(delay.longest).count();
    std::ranges::sort(run_.requests, {}, &RequestOutcome::index);
    return std::move(run_);
  }

 private:
  void make_load() {
    if (settings_.rate) {
      open_loop(*settings_.rate);
    } else {
      closed_loop(settings_.requests);
    }
    drain();
  }

  // With prompts from behind those that count, so that none of them was seen before.
  void warm_up() {
    if (settings_.warm_up == 0) return;
    is_warming_up_ = true;
    const std::size_t before = next_;
    next_ = kWarmUpIndex;
    const auto least = static_cast<int>(std::min<std::size_t>(settings_.warm_up, most_under_way_));
    slots_ =
        settings_.rate ? std::min(least, kWarmUpAtOnce) : std::min(least, settings_.concurrency);
    closed_loop(settings_.warm_up);
    drain();
    is_warming_up_ = false;
    if (!has_answer_)
      run_.gave_up = fmt::format("no request to warm up was answered ({})", first_failure_);
    next_ = before;
    prepared_.reset();
    started_ = failures_in_a_row_ = 0;
  }

  void closed_loop(std::optional<std::size_t> requests) {
    if (!is_warming_up_) slots_ = settings_.concurrency;
    started_ = 0;
    requests_ = requests;
    const double begin = monotonic_seconds();
    while (goes_on()) {
      for (int i = 0; i < kStartsInARow && goes_on(); ++i) {
        if (transfers_.under_way() >= slots_by(monotonic_seconds() - begin)) break;
        start(monotonic_seconds());
      }
      const double now = monotonic_seconds() - begin;
      if (transfers_.under_way() < slots_by(now)) {
        step(http::TransferTime{});  // there is room for more: what has come, without waiting
      } else if (const auto next = next_slot(now)) {
        step(time_point_of(begin + *next));
      } else {
        step(end_time());
      }
    }
  }

  // How many may be under way so many seconds after the beginning of a closed loop.
  [[nodiscard]] std::size_t slots_by(double seconds) const {
    const auto all = static_cast<std::size_t>(slots_);
    if (seconds >= settings_.ramp_seconds) return all;
    return std::min(all, 1 + static_cast<std::size_t>(seconds / settings_.ramp_seconds *
                                                      static_cast<double>(slots_)));
  }
  // When there are more; none where there are all.
  [[nodiscard]] std::optional<double> next_slot(double seconds) const {
    const std::size_t slots = slots_by(seconds);
    if (slots >= static_cast<std::size_t>(slots_)) return {};
    return settings_.ramp_seconds * static_cast<double>(slots) / static_cast<double>(slots_);
  }

  void open_loop(double rate) {
    requests_ = settings_.requests;
    PoissonArrivals arrivals(rate, RandomBits(settings_.seed).next() ^ kArrivalStream);
    double due = run_.began + arrivals.next();
    prepare();
    while (goes_on()) {
      const double now = monotonic_seconds();
      if (settings_.seconds && due > run_.began + *settings_.seconds) break;
      if (now < due) {
        step(time_point_of(due));
      } else if (transfers_.under_way() >= most_under_way_) {
        step({});
      } else {
        start(due);
        due = run_.began + arrivals.next();
        step(http::TransferTime{});
      }
    }
  }

  void drain() {
    while (transfers_.under_way() > 0) step({});
    exchanges_.clear();
    ended_.clear();
  }

  [[nodiscard]] bool goes_on() {
    if (requests_ && started_ >= *requests_) return false;
    if (!is_warming_up_ && settings_.seconds && !settings_.rate &&
        monotonic_seconds() >= run_.began + *settings_.seconds) {
      return false;
    }
    if (failures_in_a_row_ < kHopelessFailures || has_answer_) return true;
    if (!is_warming_up_) {
      run_.gave_up = fmt::format("the first {} requests all failed", failures_in_a_row_);
    }
    return false;
  }

  [[nodiscard]] std::optional<http::TransferTime> end_time() const {
    if (is_warming_up_ || !settings_.seconds) return {};
    return time_point_of(run_.began + *settings_.seconds);
  }

  void step(std::optional<http::TransferTime> until) {
    // Who wants to be told is told also while nothing happens.
    if (progress_) {
      const http::TransferTime soon = time_point_of(shown_ + kProgressSeconds);
      until = until ? std::min(*until, soon) : soon;
    }
    transfers_.wait(until);
    ended_.clear();
    if (const auto signal = interrupts_.next()) throw Interrupted(*signal);
    if (!progress_) return;
    const double now = monotonic_seconds();
    if (now - shown_ < kProgressSeconds) return;
    shown_ = now;
    progress_(run_.requests.size());
  }

  // Made while there is time, since a long prompt takes some: a request is not late for it.
  void prepare() {
    if (!prepared_) prepared_ = prompts_.body(next_);
  }

  [[nodiscard]] Prompts::Body take_prepared() {
    if (!prepared_) return prompts_.body(next_);
    Prompts::Body body = std::move(*prepared_);
    prepared_.reset();
    return body;
  }

  void start(double scheduled) {
    Prompts::Body body = take_prepared();
    RequestOutcome outcome;
    outcome.index = next_++;
    outcome.asked_tokens = body.output_tokens;
    outcome.scheduled = scheduled;
    outcome.repeated = answered_.contains(body.prompt);
    auto owned = std::make_unique<Exchange>(
        settings_, std::move(outcome),
        [this, prompt = body.prompt](Exchange& exchange) { take(exchange, prompt); });
    Exchange& exchange = *owned;
    exchanges_.emplace(&exchange, std::move(owned));
    ++started_;
    exchange.outcome.sent = monotonic_seconds();
    transfers_.start(std::move(body.json), exchange);
    if (goes_on()) prepare();
  }

  void take(Exchange& exchange, std::size_t prompt) {
    const RequestOutcome& outcome = exchange.outcome;
    if (outcome.succeeded()) {
      has_answer_ = true;
      failures_in_a_row_ = 0;
      answered_.insert(prompt);
    } else {
      if (failures_in_a_row_++ == 0 && first_failure_.empty())
        first_failure_ = load_failure_name(outcome.failure) +
                         (outcome.detail.empty() ? "" : ": " + outcome.detail);
    }
    if (!is_warming_up_) run_.requests.push_back(std::move(exchange.outcome));
    // It is being called.
    const auto found = exchanges_.find(&exchange);
    ended_.push_back(std::move(found->second));
    exchanges_.erase(found);
  }

  // No run has as many requests, so that these numbers are free.
  static constexpr std::size_t kWarmUpIndex = std::size_t{1} << 40U;
  // An open loop has no number at once of its own; a server should be up, not under load.
  static constexpr int kWarmUpAtOnce = 8;

  const LoadSettings& settings_;
  const LoadProgress& progress_;
  Interrupts interrupts_;
  Prompts prompts_;
  LoadRun run_;
  // Before the transfers, which are broken off first.
  std::unordered_map<Exchange*, std::unique_ptr<Exchange>> exchanges_;
  std::vector<std::unique_ptr<Exchange>> ended_;
  http::Transfers transfers_;
  std::optional<Prompts::Body> prepared_;
  std::unordered_set<std::size_t> answered_;  // prompts
  std::optional<std::size_t> requests_;
  std::size_t most_under_way_ = 0;
  std::size_t next_ = 0;
  std::size_t started_ = 0;
  std::size_t failures_in_a_row_ = 0;
  int slots_ = 1;
  bool has_answer_ = false;
  std::string first_failure_;
  bool is_warming_up_ = false;
  double shown_ = 0;
};

}  // namespace

LoadRun run_load(const http::CurlLibrary& curl, const LoadSettings& settings,
                 const LoadProgress& progress) {
  return Generator(curl, settings, progress).run();
}

}  // namespace autokernel::lab
