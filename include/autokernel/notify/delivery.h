// One event brought to one target: tried, tried again where that makes sense, and given up in time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "autokernel/notify/configuration.h"
#include "autokernel/notify/event.h"
#include "autokernel/notify/webhook_record.h"

namespace autokernel::notify {

class Transport;

// How long it is tried, and how often. Times are those of the wall.
struct DeliveryLimits {
  // Of all attempts and pauses together. A message that is a minute late is still of use; one that
  // holds up the next is not.
  std::chrono::milliseconds deadline{60'000};
  // Of one attempt: a service that has not answered by then will mostly not do so at all.
  std::chrono::milliseconds attempt{15'000};
  // Before the second attempt; doubled before each further one, up to the longest.
  std::chrono::milliseconds first_pause{1'000};
  std::chrono::milliseconds longest_pause{15'000};
  // A service that wants to be left alone for longer gets nothing.
  std::chrono::milliseconds longest_retry_after{30'000};
  int most_attempts = 5;
  int most_redirects = 3;  // of one attempt, on the same host
};

// What became of it.
struct Delivery {
  bool attempted = false;
  bool sent = false;
  std::string status = {};  // as in WebhookRecord
  std::string remedy = {};  // what to do about it, in a sentence; empty where it was sent
};

// Hears of each attempt that failed, in a line; no line holds an address.
using DeliveryObserver = std::function<void(const std::string&)>;

// Returns when the target has taken it, has refused it, or the deadline has passed. Never throws
// for what a network or a service does.
[[nodiscard]] Delivery deliver(const Target& target, const Event& event, Transport& transport,
                               const DeliveryLimits& limits = {},
                               const DeliveryObserver& observer = {});

// The six fields of a delivery to one target.
[[nodiscard]] WebhookRecord record_of(const Delivery& delivery);

// A target with what was found when a test message was sent to it.
struct TestedTarget {
  std::string label;
  WebhookRecord record;
  std::string remedy;
};
// Sends a test message to each target, one after the other. Throws Error(environment) where nothing
// can be sent from this machine at all.
[[nodiscard]] std::vector<TestedTarget> test_targets(const Configuration& configuration,
                                                     const DeliveryLimits& limits = {},
                                                     const DeliveryObserver& observer = {});

}  // namespace autokernel::notify
