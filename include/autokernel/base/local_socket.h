// Sockets between processes of one machine that leave no file behind (unix(7), "abstract"), and the
// descriptors that travel through them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/base/descriptor.h"

namespace autokernel {

// Waits for connections to that name, which lives as long as the socket; not open where another
// process has it. Throws Error(environment).
[[nodiscard]] Descriptor listen_on(const std::string& name);
// A connection; not open where nobody listens.
[[nodiscard]] Descriptor connect_to(const std::string& name);
// The same to a socket that is a file. Not open where nobody listens, or this user may not connect:
// errno says why.
[[nodiscard]] Descriptor connect_to_file(const std::filesystem::path& file);
// The next of who has connected; not open where there is none. Does not wait.
[[nodiscard]] Descriptor next_connection(const Descriptor& listening);

// Who is at the other end, as the system says: who called connect_to(), or listen_on().
struct Peer {
  pid_t process = 0;
  uid_t user = 0;
};
[[nodiscard]] std::optional<Peer> peer_of(int socket);
[[nodiscard]] inline std::optional<Peer> peer_of(const Descriptor& socket) {
  return peer_of(socket.get());
}

// Writes all of it, the descriptors with its first byte. False where the other end has gone, or
// takes nothing until `deadline`.
[[nodiscard]] bool send_to(const Descriptor& socket, std::string_view bytes,
                           std::chrono::steady_clock::time_point deadline,
                           std::span<const int> descriptors = {});

struct Received {
  std::string bytes;
  std::vector<Descriptor> descriptors;
  bool is_over = false;  // nothing more will come
};
// What has arrived, some megabytes at most. Does not wait.
[[nodiscard]] Received receive_from(const Descriptor& socket);

}  // namespace autokernel
