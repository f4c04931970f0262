#include "autokernel/notify/delivery.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <random>
#include <thread>
#include <utility>

#include "notify/answer_verdict.h"
#include "notify/event_stamp.h"
#include "notify/payload.h"
#include "notify/plot_file.h"
#include "notify/retry_pause.h"
#include "notify/target_rules.h"
#include "notify/transport.h"

namespace autokernel::notify {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

[[nodiscard]] milliseconds time_left(steady_clock::time_point deadline) {
  return std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
}

// From 0 to 1. Nobody can foresee it, so that senders that were started together part.
[[nodiscard]] double drawn_chance() {
  std::random_device device;
  return std::generate_canonical<double, 32>(device);
}

// One attempt, redirections on the same host included.
class Attempt {
 public:
  Attempt(Address address, Transport& transport, const DeliveryLimits& limits,
          steady_clock::time_point deadline)
      : address_(std::move(address)),
        transport_(&transport),
        limits_(&limits),
        deadline_(deadline) {}

  [[nodiscard]] AnswerVerdict make(const HttpMessage& message) {
    const auto end = std::min(deadline_, steady_clock::now() + limits_->attempt);
    for (int redirects = 0;; ++redirects) {
      const Answer answer = transport_->send(address_, message, time_left(end));
      retry_after_ = answer.retry_after;
      if (!is_redirection(answer)) return verdict_of(answer);
      if (redirects == limits_->most_redirects) {
        return {Outcome::refused, "refused: redirected too often", kNewAddress};
      }
      const auto next = redirected(address_, answer.location);
      if (!next) return {Outcome::refused, "refused: redirected to another host", kNewAddress};
      address_ = *next;
    }
  }
  [[nodiscard]] const std::string& retry_after() const { return retry_after_; }

 private:
  static constexpr const char* kNewAddress = "write the address that the service has now";

  Address address_;
  Transport* transport_;
  const DeliveryLimits* limits_;
  steady_clock::time_point deadline_;
  std::string retry_after_;
};

}  // namespace

Delivery deliver(const Target& target, const Event& event, Transport& transport,
                 const DeliveryLimits& limits, const DeliveryObserver& observer) {
  Delivery delivery;
  const auto address = address_of_text(target.url.reveal());
  if (!address || !fault_of_url(target).empty()) {
    delivery.status = "not sent: no address";
    delivery.remedy = "write its address as the service shows it";
    return delivery;
  }
  const auto deadline = steady_clock::now() + limits.deadline;
  const std::size_t largest = target.plot ? largest_plot(target.kind) : 0;
  const std::string plot = plot_bytes(event.plot, largest);
  const bool lacks_plot = !event.plot.empty() && largest > 0 && plot.empty();
  for (int attempts = 1;; ++attempts) {
    Attempt attempt(*address, transport, limits, deadline);
    delivery.attempted = true;
    const AnswerVerdict verdict =
        attempt.make(payload_for(target, event, plot, std::time(nullptr)));
    delivery.sent = verdict.outcome == Outcome::sent;
    delivery.status = delivery.sent && lacks_plot ? "sent without the plot" : verdict.status;
    delivery.remedy = verdict.remedy;
    if (verdict.outcome != Outcome::may_pass || attempts >= limits.most_attempts) return delivery;
    const auto pause = pause_after(attempts, attempt.retry_after(), drawn_chance(), limits);
    if (!pause || *pause >= time_left(deadline)) return delivery;
    if (observer) {
      observer(fmt::format("{}: attempt {}: {}; the next in {:.1f} s", target.label, attempts,
                           verdict.status, std::chrono::duration<double>(*pause).count()));
    }
    std::this_thread::sleep_for(*pause);
  }
}

WebhookRecord record_of(const Delivery& delivery) {
  return {.enabled_by_config = true,
          .disabled_by_flag = false,
          .expected = true,
          .attempted = delivery.attempted,
          .sent = delivery.sent,
          .status = delivery.status};
}

std::vector<TestedTarget> test_targets(const Configuration& configuration,
                                       const DeliveryLimits& limits,
                                       const DeliveryObserver& observer) {
  if (configuration.targets.empty()) return {};
  const auto transport = curl_transport();
  std::vector<TestedTarget> tested;
  for (const Target& target : configuration.targets) {
    Event event{.kind = EventKind::test};
    stamp(event);
    const Delivery delivery = deliver(target, event, *transport, limits, observer);
    tested.push_back({target.label, record_of(delivery), delivery.remedy});
  }
  return tested;
}

}  // namespace autokernel::notify
