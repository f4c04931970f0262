#include "autokernel/notify/sender.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "notify/lane.h"
#include "notify/packet_channel.h"
#include "notify/sender_packets.h"
#include "notify/transport.h"

namespace autokernel::notify {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A trial may be under way that times a kernel on this machine's processors, and who has the same
// user's rights must not look into this process for addresses.
void stay_in_the_background() {
  constexpr int kLeastUrgent = 19;
  ::setpriority(PRIO_PROCESS, 0, kLeastUrgent);
  ::prctl(PR_SET_DUMPABLE, 0);
}

// An event on its way to the targets that want it.
class Underway {
 public:
  Underway(Event event, std::vector<std::string> labels, const Descriptor& channel)
      : event_(std::move(event)),
        labels_(std::move(labels)),
        deliveries_(labels_.size()),
        left_(labels_.size()),
        channel_(&channel) {}

  [[nodiscard]] const Event& event() const { return event_; }

  // What became of it at one of the targets, by its place among them. Each calls it once; the last
  // one has it reported.
  void take(std::size_t place, Delivery delivery) {
    {
      const std::scoped_lock lock(mutex_);
      deliveries_[place] = std::move(delivery);
      if (--left_ > 0) return;
    }
    finish();
  }

 private:
  void finish() const {
    Report all{.id = event_.id, .attempted = false, .sent = true, .status = "sent"};
    for (std::size_t i = 0; i < deliveries_.size(); ++i) {
      const Delivery& delivery = deliveries_[i];
      all.attempted = all.attempted || delivery.attempted;
      // Of the first that has not taken it, or has taken less than all.
      if (all.status == "sent" && delivery.status != "sent") {
        all.status =
            deliveries_.size() == 1 ? delivery.status : labels_[i] + ": " + delivery.status;
      }
      all.sent = all.sent && delivery.sent;
    }
    // Whether or not somebody reads it later, or still listens.
    static_cast<void>(keep(all));
    static_cast<void>(hand_packet(*channel_, packet_of(all)));
  }

  // For those who read the record later; whether it could be written. Where the run is gone, or the
  // disk full, it stays "pending" there.
  [[nodiscard]] bool keep(const Report& report) const {
    if (!event_.told_of) return false;
    const Delivery all{.attempted = report.attempted, .sent = report.sent, .status = report.status};
    try {
      append_line_below(event_.told_of->root, event_.told_of->file,
                        ledger::line_of({.record = event_.told_of->record,
                                         .at = event_.told_of->at,
                                         .id = event_.id,
                                         .webhook = recorded(record_of(all))}));
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  Event event_;
  std::vector<std::string> labels_;
  std::mutex mutex_;
  std::vector<Delivery> deliveries_;
  std::size_t left_;
  const Descriptor* channel_;
};

// When the program that started the sender ended.
class Ending {
 public:
  void begin() {
    const std::scoped_lock lock(mutex_);
    if (!since_) since_ = steady_clock::now();
  }
  [[nodiscard]] milliseconds time_left() const {
    const std::scoped_lock lock(mutex_);
    if (!since_) return kSenderLingers;
    return std::chrono::duration_cast<milliseconds>(*since_ + kSenderLingers - steady_clock::now());
  }

 private:
  mutable std::mutex mutex_;
  std::optional<steady_clock::time_point> since_;
};

[[nodiscard]] Delivery send_to(const Target& target, const Event& event, Transport* transport,
                               DeliveryLimits limits, const Ending& ending) {
  const milliseconds left = ending.time_left();
  if (left <= milliseconds::zero()) return {.status = "dropped"};
  limits.deadline = std::min(limits.deadline, left);
  // Nobody would see why; 'notify --test' says it in full.
  if (transport == nullptr) return {.status = "not sent: libcurl cannot be used"};
  try {
    return deliver(target, event, *transport, limits);
  } catch (const std::exception&) {
    return {.status = "not sent: libcurl cannot be used"};
  }
}

class Sender {
 public:
  Sender(const Descriptor& channel, const DeliveryLimits& limits)
      : channel_(&channel), limits_(limits) {}

  void work() {
    while (true) {
      pollfd watched{.fd = channel_->get(), .events = POLLIN, .revents = 0};
      ::poll(&watched, 1, -1);
      const TakenPacket taken = take_packet(*channel_);
      if (taken.bytes) take(*taken.bytes);
      if (taken.is_over) break;
    }
    ending_.begin();
    lanes_.clear();  // each sends what is left
  }

 private:
  void take(const std::string& packet) {
    if (auto configuration = configuration_of_packet(packet)) {
      if (lanes_.empty()) targets_ = std::move(configuration->targets);
    } else if (auto event = event_of_packet(packet)) {
      if (lanes_.empty()) make_lanes();
      hand_out(std::move(*event));
    }
  }

  // Not before the first event: libcurl costs time and memory. It is to be loaded while there is
  // one thread.
  void make_lanes() {
    std::vector<std::shared_ptr<Transport>> transports(targets_.size());
    try {
      for (auto& transport : transports) transport = curl_transport();
    } catch (const Error&) {
      std::ranges::fill(transports, nullptr);
    }
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      lanes_.push_back(std::make_unique<Lane>(
          [this, &target = targets_[i], transport = transports[i]](const Event& event) {
            return send_to(target, event, transport.get(), limits_, ending_);
          }));
    }
  }

  void hand_out(Event event) {
    std::vector<std::size_t> wanting;
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (!targets_[i].wants(event.kind)) continue;
      wanting.push_back(i);
      labels.push_back(targets_[i].label);
    }
    const auto underway =
        std::make_shared<Underway>(std::move(event), std::move(labels), *channel_);
    for (std::size_t place = 0; place < wanting.size(); ++place) {
      lanes_[wanting[place]]->add(
          {underway, &underway->event()},
          [underway, place](Delivery delivery) { underway->take(place, std::move(delivery)); });
    }
  }

  const Descriptor* channel_;
  DeliveryLimits limits_;
  std::vector<Target> targets_;
  Ending ending_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // one for each target
};

}  // namespace

int send_from(const Descriptor& channel, const DeliveryLimits& limits) {
  stay_in_the_background();
  Sender(channel, limits).work();
  return 0;
}

}  // namespace autokernel::notify
