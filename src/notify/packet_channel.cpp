#include "notify/packet_channel.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "autokernel/base/system_error.h"

namespace autokernel::notify {

PacketChannel make_packet_channel() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
    throw system_failure(Stop::environment, "cannot make a channel for notifications",
                         "socketpair");
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Handed hand_packet(const Descriptor& channel, const std::string& bytes) {
  if (bytes.empty() || bytes.size() > kLargestPacket) return Handed::to_nobody;
  while (true) {
    if (::send(channel.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) {
      return Handed::over;
    }
    if (errno == EINTR) continue;
    const bool is_full = errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS;
    return is_full ? Handed::no_room : Handed::to_nobody;
  }
}

TakenPacket take_packet(const Descriptor& channel) {
  std::array<char, kLargestPacket> bytes;  // not cleared: mostly nothing is there
  while (true) {
    const ssize_t count = ::recv(channel.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
    if (count <= 0) return {.bytes = {}, .is_over = true};
    return {.bytes = std::string(bytes.data(), static_cast<std::size_t>(count)), .is_over = false};
  }
}

}  // namespace autokernel::notify
