#include "autokernel/notify/sender.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>

#include "autokernel/base/error.h"
#include "notify/packet_channel.h"
#include "notify/sender_packets.h"
#include "notify/transport.h"

namespace autokernel::notify {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Events that wait to be sent. A run has one in minutes; where no service answers, the newest ones
// are of use.
constexpr std::size_t kMostWaitingToBeSent = 64;

// A trial may be under way that times a kernel on this machine's processors, and who has the same
// user's rights must not look into this process for addresses.
void stay_in_the_background() {
  constexpr int kLeastUrgent = 19;
  ::setpriority(PRIO_PROCESS, 0, kLeastUrgent);
  ::prctl(PR_SET_DUMPABLE, 0);
}

class Sender {
 public:
  Sender(const Descriptor& channel, const DeliveryLimits& limits)
      : channel_(&channel), limits_(limits) {}

  void work() {
    while (true) {
      listen(waiting_.empty() ? Waiting::allowed : Waiting::not_allowed);
      if (waiting_.empty()) {
        if (over_since_) return;
        continue;
      }
      if (time_to_linger() <= milliseconds::zero()) return;
      const Event event = std::move(waiting_.front());
      waiting_.pop_front();
      report(send_to_all(event));
    }
  }

 private:
  enum class Waiting : std::uint8_t { allowed, not_allowed };

  [[nodiscard]] milliseconds time_to_linger() const {
    if (!over_since_) return kSenderLingers;
    return std::chrono::duration_cast<milliseconds>(*over_since_ + kSenderLingers -
                                                    steady_clock::now());
  }

  // Takes all that has come.
  void listen(Waiting waiting) {
    if (over_since_) return;
    if (waiting == Waiting::allowed) {
      pollfd watched{.fd = channel_->get(), .events = POLLIN, .revents = 0};
      ::poll(&watched, 1, -1);
    }
    while (true) {
      const TakenPacket taken = take_packet(*channel_);
      if (taken.is_over) over_since_ = steady_clock::now();
      if (!taken.bytes) return;
      take(*taken.bytes);
    }
  }

  void take(const std::string& packet) {
    if (auto configuration = configuration_of_packet(packet)) {
      configuration_ = std::move(*configuration);
    } else if (auto event = event_of_packet(packet)) {
      waiting_.push_back(std::move(*event));
    }
    if (waiting_.size() <= kMostWaitingToBeSent) return;
    report({.id = waiting_.front().id, .status = "dropped"});
    waiting_.pop_front();
  }

  [[nodiscard]] Report send_to_all(const Event& event) {
    Report all{.id = event.id, .attempted = false, .sent = true, .status = "sent"};
    const auto wanting = std::ranges::count_if(
        configuration_.targets, [&](const Target& target) { return target.wants(event.kind); });
    for (const Target& target : configuration_.targets) {
      if (!target.wants(event.kind)) continue;
      const Delivery delivery = send_to(target, event);
      all.attempted = all.attempted || delivery.attempted;
      // Of the first that has not taken it, or has taken less than all.
      if (all.status == "sent" && delivery.status != "sent") {
        all.status = wanting == 1 ? delivery.status : target.label + ": " + delivery.status;
      }
      all.sent = all.sent && delivery.sent;
    }
    return all;
  }

  [[nodiscard]] Delivery send_to(const Target& target, const Event& event) {
    DeliveryLimits limits = limits_;
    limits.deadline = std::min(limits.deadline, time_to_linger());
    try {
      if (!transport_) transport_ = curl_transport();
      return deliver(target, event, *transport_, limits);
    } catch (const Error&) {  // nobody would see it; 'notify --test' says it in full
      return {.attempted = false, .sent = false, .status = "not sent: libcurl cannot be used"};
    }
  }

  // Whether or not somebody still listens.
  void report(const Report& report) const {
    static_cast<void>(hand_packet(*channel_, packet_of(report)));
  }

  const Descriptor* channel_;
  DeliveryLimits limits_;
  Configuration configuration_;
  std::unique_ptr<Transport> transport_;  // none before the first event: it costs a library
  std::deque<Event> waiting_;
  std::optional<steady_clock::time_point> over_since_;
};

}  // namespace

int send_from(const Descriptor& channel, const DeliveryLimits& limits) {
  stay_in_the_background();
  Sender(channel, limits).work();
  return 0;
}

}  // namespace autokernel::notify
