// Notifications as a run uses them: events go to a process of their own that sends them, and
// nothing here waits for it.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "autokernel/base/descriptor.h"
#include "autokernel/base/process.h"
#include "autokernel/notify/configuration.h"
#include "autokernel/notify/event.h"
#include "autokernel/notify/webhook_record.h"

namespace autokernel::notify {

// Whether --no-notify was given.
enum class Flag : std::uint8_t { not_given, no_notify };

// What a command waits for at its end, at most: for somebody at a terminal it is short, and for
// most services long enough. What is sent later is sent as well, by the sender alone.
inline constexpr std::chrono::milliseconds kPatience{3'000};

class Notifier {
 public:
  // Without targets: everything is recorded as not configured.
  Notifier() = default;
  // Reads the configuration and, where there are targets, starts `sender` with the channel as its
  // standard input (send_from). A configuration that cannot be used, or a sender that cannot be
  // started, stops no run: remark() says so. The start takes a few milliseconds, once.
  [[nodiscard]] static Notifier open(const Surroundings& surroundings, Flag flag,
                                     const Command& sender);

  // What the user should know, in a line; empty: nothing.
  [[nodiscard]] const std::string& remark() const { return remark_; }

  // The six fields of a record of which the event is yet to be posted; none: it is no event.
  [[nodiscard]] WebhookRecord forecast(std::optional<EventKind> kind) const;

  // Hands the event to the sender, and returns its fields: "pending", or why nothing is sent. Takes
  // less than a millisecond, whatever the network does, and never throws. Where the sender does not
  // keep up, the oldest event that it has not taken is dropped.
  WebhookRecord post(Event event);

  // What is known by now of the event that was posted last; does not wait.
  [[nodiscard]] WebhookRecord latest();

  // Waits until all that was posted has been sent or given up, but no longer than that, and not
  // when `interrupts` (Interrupts::descriptor(); -1: none) becomes readable. Returns the fields of
  // each event that was posted, the oldest first; those that are not known yet are "pending", and
  // the sender goes on with them.
  std::vector<WebhookRecord> settle(std::chrono::milliseconds patience = kPatience,
                                    int interrupts = -1);

  // Events that were dropped because the sender did not keep up.
  [[nodiscard]] std::size_t dropped() const { return dropped_; }

 private:
  struct Posted {
    std::string id;
    WebhookRecord record;
    bool is_settled = false;
  };
  struct Packet {
    std::string id;
    std::string bytes;
  };

  void hand_over();
  void take_reports();
  void settle_as(const std::string& id, const std::string& status);
  void give_up_on_sender();

  Flag flag_ = Flag::not_given;
  bool enabled_ = false;
  std::set<EventKind> wanted_;
  std::string remark_;
  Descriptor channel_;
  std::deque<Packet> waiting_;  // for room in the channel
  std::deque<Posted> posted_;
  std::size_t dropped_ = 0;
};

}  // namespace autokernel::notify
