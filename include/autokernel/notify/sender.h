// The process that sends: nobody's child, so that neither a step nor Ctrl-C waits for a network.
#pragma once

#include "autokernel/base/descriptor.h"
#include "autokernel/notify/delivery.h"

namespace autokernel::notify {

// Of the sender, once the program that started it has ended; what is left then is dropped. The
// longest that one message takes, and a second one.
inline constexpr std::chrono::milliseconds kSenderLingers{120'000};

// Takes configuration and events from the other end of a channel (Notifier), sends them, to each
// target in their order and to none later because of another, reports what became of each, and adds
// it to the file that the event names. Returns the exit code once the other end is closed and
// nothing is left to send, or kSenderLingers later.
[[nodiscard]] int send_from(const Descriptor& channel, const DeliveryLimits& limits = {});

}  // namespace autokernel::notify
