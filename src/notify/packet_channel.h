// Two ends that exchange whole packets and never wait for each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "autokernel/base/descriptor.h"

namespace autokernel::notify {

// Both ways, closed in processes that are started later. Throws Error(environment).
struct PacketChannel {
  Descriptor ours;
  Descriptor theirs;
};
[[nodiscard]] PacketChannel make_packet_channel();

// No packet is larger, in bytes: several of them fit into the channel.
inline constexpr std::size_t kLargestPacket = 64U << 10U;

enum class Handed : std::uint8_t {
  over,
  no_room,   // the other end has not taken what is there already
  to_nobody  // the other end is gone, or the packet is too large
};
[[nodiscard]] Handed hand_packet(const Descriptor& channel, const std::string& bytes);

struct TakenPacket {
  std::optional<std::string> bytes;  // none: nothing is there now
  bool is_over = false;              // and nothing will come any more
};
[[nodiscard]] TakenPacket take_packet(const Descriptor& channel);

}  // namespace autokernel::notify
