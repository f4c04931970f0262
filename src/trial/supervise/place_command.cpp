#include "trial/supervise/place_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "autokernel/base/cache_folder.h"
#include "autokernel/base/error.h"
#include "autokernel/base/search_path.h"
#include "autokernel/driver/device_choice.h"
#include "autokernel/trial/known_places.h"
#include "trial/supervise/installation.h"

namespace autokernel::trial {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// Where the shell of the other machine finds the program: what was installed from here comes first.
[[nodiscard]] std::string relay_line() {
  return fmt::format("PATH=\"{}/bin:$PATH:$HOME/.local/bin:/usr/local/bin\"; exec autokernel relay",
                     installed_folder());
}

[[nodiscard]] fs::path required(const std::string& program, const std::string& place,
                                const std::string& package) {
  fs::path file = find_on_path(program);
  if (!file.empty()) return file;
  throw Error(Stop::environment, fmt::format("cannot reach {}: there is no {} on the PATH; {}",
                                             place, program, package));
}

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

[[nodiscard]] PlaceCommand slurm_command(const std::string& place) {
  // A job that is pre-empted, out of time, or whose node is lost, is started once more, and so is
  // that one: a cluster does this to anybody.
  constexpr int kRepetitions = 5;
  // Of a job that ends by itself, its allocation is given back by the time srun ends.
  constexpr milliseconds kToEnd{5000};
  std::vector<std::string> arguments = {"--nodes=1", "--ntasks=1", "--job-name=autokernel",
                                        "--kill-on-bad-exit=1"};
  // "PARTITION,gres=gpu:1"
  const std::string asked = "partition=" + driver::address_of(place);
  for (std::size_t begin = 0; begin <= asked.size();) {
    const std::size_t end = std::min(asked.find(',', begin), asked.size());
    arguments.push_back("--" + asked.substr(begin, end - begin));
    begin = end + 1;
  }
  arguments.insert(arguments.end(), {"--", "/bin/sh", "-c", relay_line()});
  return {.program = required("srun", place, "it comes with Slurm (Debian: slurm-client)"),
          .arguments = std::move(arguments),
          .is_queued = true,
          .repetitions = kRepetitions,
          .patience = kToEnd};
}

[[nodiscard]] PlaceCommand launcher_command(const std::string& place) {
  return {.program = "/bin/sh",
          .arguments = {"-c", "exec " + driver::address_of(place) + " \"$@\"", "sh", "sh", "-c",
                        relay_line()},
          .is_queued = true,
          .repetitions = 1,
          .patience = milliseconds{2000}};
}

[[nodiscard]] PlaceCommand own_command() {
  // Time for what is under way to be taken down in order.
  constexpr milliseconds kToEnd{2000};
  std::error_code failed;
  return {.program = fs::read_symlink("/proc/self/exe", failed),
          .arguments = {"relay"},
          .patience = kToEnd};
}

}  // namespace

PlaceCommand ssh_command(const std::string& place, const std::string& line) {
  const fs::path ssh = required("ssh", place, "install openssh-client");
  std::string host = driver::address_of(place);
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
  arguments.insert(arguments.end(), {"--", host, line});
  return {.program = ssh, .arguments = std::move(arguments)};
}

PlaceCommand command_at(const std::string& place) {
  require_known_place(place);
  switch (driver::kind_of_place(place)) {
    case driver::PlaceKind::slurm:
      return slurm_command(place);
    case driver::PlaceKind::launcher:
      return launcher_command(place);
    case driver::PlaceKind::here:
    case driver::PlaceKind::judge:  // who is talked to in another way
      return own_command();
    case driver::PlaceKind::ssh:
      break;
  }
  return ssh_command(place, relay_line());
}

}  // namespace autokernel::trial
