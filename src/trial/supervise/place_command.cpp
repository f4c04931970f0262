#include "trial/supervise/place_command.h"

#include <fmt/format.h>

#include "autokernel/base/cache_folder.h"
#include "autokernel/base/error.h"
#include "autokernel/base/search_path.h"

namespace autokernel::trial {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSsh = "ssh://";

// Where the shell of the other machine finds the program.
constexpr const char* kRelay =
    "PATH=\"$PATH:$HOME/.local/bin:/usr/local/bin\"; exec autokernel relay";

// Of a connection that several commands share; none where its socket would have too long a path.
[[nodiscard]] std::vector<std::string> shared_connection() {
  const fs::path folder = cache_folder() / "ssh";
  // A digest in place of %C, what ssh adds while it makes the socket, and sockaddr_un's limit.
  constexpr std::size_t kDigest = 40;
  constexpr std::size_t kAdded = 18;
  constexpr std::size_t kLongest = 107;
  if (folder.string().size() + 1 + kDigest + kAdded > kLongest) return {};
  std::error_code exists;
  fs::create_directories(folder, exists);
  fs::permissions(folder, fs::perms::owner_all, exists);
  return {"-oControlMaster=auto", "-oControlPersist=600",
          "-oControlPath=" + (folder / "%C").string()};
}

}  // namespace

PlaceCommand command_at(const std::string& place) {
  const fs::path ssh = find_on_path("ssh");
  if (ssh.empty()) {
    throw Error(Stop::environment, fmt::format("cannot reach {}: there is no ssh on the PATH; "
                                               "install openssh-client",
                                               place));
  }
  std::string host = place.substr(kSsh.size());
  std::vector<std::string> arguments = {"-T", "-oBatchMode=yes", "-oServerAliveInterval=15",
                                        "-oServerAliveCountMax=4"};
  const std::vector<std::string> shared = shared_connection();
  arguments.insert(arguments.end(), shared.begin(), shared.end());
  // "user@host:2222"; an address of IPv6 has its colons in brackets.
  const std::size_t colon = host.rfind(':');
  if (colon != std::string::npos && host.find(']', colon) == std::string::npos) {
    arguments.insert(arguments.end(), {"-p", host.substr(colon + 1)});
    host.erase(colon);
  }
  arguments.insert(arguments.end(), {"--", host, kRelay});
  return {.program = ssh, .arguments = std::move(arguments)};
}

}  // namespace autokernel::trial
