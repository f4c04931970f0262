#include "autokernel/base/local_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "autokernel/base/system_error.h"

namespace autokernel {
namespace {

// More than any message of ours carries.
constexpr std::size_t kMostDescriptors = 8;
// Who finds no room in the queue goes on without.
constexpr int kWaiting = 16;

struct Address {
  sockaddr_un bytes{};
  socklen_t length = 0;
};

// A name that begins with a zero byte is no path.
[[nodiscard]] Address address_of(const std::string& name) {
  Address address;
  address.bytes.sun_family = AF_UNIX;
  const std::size_t count = std::min(name.size(), sizeof(address.bytes.sun_path) - 1);
  std::memcpy(address.bytes.sun_path + 1, name.data(), count);
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + count);
  return address;
}

[[nodiscard]] const sockaddr* pointer_to(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address.bytes);
}

[[nodiscard]] Descriptor make_socket() {
  Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made.is_open())
    throw system_failure(Stop::environment, "cannot make a local socket", "socket");
  return made;
}

// Room for descriptors beside the bytes of a message, aligned as the system wants it.
union Control {
  cmsghdr header;
  std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> bytes;
};

// Bytes written; less than 0: none, errno says why.
[[nodiscard]] ssize_t send_some(const Descriptor& socket, std::string_view bytes,
                                std::span<const int> descriptors) {
  // The system takes a pointer to what it only reads as one to what it may write.
  iovec piece{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  Control control{};
  if (!descriptors.empty()) {
    const std::size_t size = descriptors.size_bytes();
    message.msg_control = control.bytes.data();
    message.msg_controllen = CMSG_SPACE(size);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(header), descriptors.data(), size);
  }
  return ::sendmsg(socket.get(), &message, MSG_NOSIGNAL);
}

void take_descriptors(msghdr& message, std::vector<Descriptor>& into) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      into.emplace_back(number);
    }
  }
}

}  // namespace

Descriptor listen_on(const std::string& name) {
  Descriptor listening = make_socket();
  const Address address = address_of(name);
  if (::bind(listening.get(), pointer_to(address), address.length) != 0) {
    if (errno == EADDRINUSE) return {};
    throw system_failure(Stop::environment, "cannot name a local socket", "bind");
  }
  if (::listen(listening.get(), kWaiting) != 0) {
    throw system_failure(Stop::environment, "cannot listen on a local socket", "listen");
  }
  return listening;
}

Descriptor connect_to(const std::string& name) {
  Descriptor connection = make_socket();
  const Address address = address_of(name);
  // A local socket connects at once or not at all.
  if (::connect(connection.get(), pointer_to(address), address.length) != 0) return {};
  return connection;
}

Descriptor connect_to_file(const std::filesystem::path& file) {
  Descriptor connection = make_socket();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& path = file.native();
  if (path.size() >= sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    return {};
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  if (::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return {};
  return connection;
}

Descriptor next_connection(const Descriptor& listening) {
  return Descriptor(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

std::optional<Peer> peer_of(int socket) {
  ucred credentials{};
  socklen_t length = sizeof credentials;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return {};
  return Peer{.process = credentials.pid, .user = credentials.uid};
}

bool send_to(const Descriptor& socket, std::string_view bytes,
             std::chrono::steady_clock::time_point deadline, std::span<const int> descriptors) {
  while (!bytes.empty()) {
    const ssize_t sent = send_some(socket, bytes, descriptors);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      descriptors = {};
    } else if (errno == EAGAIN) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0) return false;
      pollfd watched{socket.get(), POLLOUT, 0};
      ::poll(&watched, 1, static_cast<int>(left.count()));
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

Received receive_from(const Descriptor& socket) {
  constexpr std::size_t kPiece = std::size_t{64} << 10U;
  // Whoever writes as fast as this reads must not keep its caller.
  constexpr std::size_t kMost = 64 * kPiece;
  Received received;
  std::vector<char> piece(kPiece);
  while (received.bytes.size() < kMost) {
    iovec room{.iov_base = piece.data(), .iov_len = piece.size()};
    Control control{};
    msghdr message{};
    message.msg_iov = &room;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes.data();
    message.msg_controllen = control.bytes.size();
    const ssize_t count = ::recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return received;
    if (count <= 0) {
      received.is_over = true;
      return received;
    }
    take_descriptors(message, received.descriptors);
    received.bytes.append(piece.data(), static_cast<std::size_t>(count));
  }
  return received;
}

}  // namespace autokernel
