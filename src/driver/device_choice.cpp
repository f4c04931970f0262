#include "autokernel/driver/device_choice.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "autokernel/base/error.h"
#include "autokernel/base/number.h"

namespace autokernel::driver {

namespace {

constexpr std::string_view kSsh = "ssh://";
constexpr std::string_view kSlurm = "slurm:";
constexpr std::string_view kLauncher = "launcher:";
constexpr std::string_view kJudge = "judge";  // that of kJudgeSocket; others: "judge:/path"

[[nodiscard]] bool is_made_of(std::string_view text, std::string_view signs) {
  return std::ranges::all_of(text, [&](char c) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return is_word || signs.find(c) != std::string_view::npos;
  });
}

[[nodiscard]] bool is_port(std::string_view text) {
  constexpr int kLast = 65535;
  int number = 0;
  return read_number(text, number) && number >= 1 && number <= kLast;
}

// What ssh would take for an option, and a shell for a word of its own, is no host.
[[nodiscard]] bool is_host(std::string_view text) {
  const auto begins_well = [](std::string_view part) {
    return !part.empty() && part.front() != '-';
  };
  // "host:2222"; an address of IPv6 has its colons in brackets.
  const std::size_t colon = text.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && text.find(']', colon) == std::string_view::npos;
  if (has_port && !is_port(text.substr(colon + 1))) return false;
  const std::size_t at = text.rfind('@');
  return begins_well(text) && (at == std::string_view::npos || begins_well(text.substr(at + 1))) &&
         is_made_of(text, "._-@:%[]");
}

// PARTITION[,OPTION=VALUE...]: what srun is told, and nothing else of it.
[[nodiscard]] bool is_of_slurm(std::string_view text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const std::string_view partition = text.substr(0, comma);
  if (partition.empty() || partition.front() == '-' || !is_made_of(partition, "._-")) return false;
  text.remove_prefix(comma);
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::string_view part = text.substr(0, std::min(text.find(','), text.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals + 1 == part.size()) return false;
    if (std::ranges::find(kSlurmOptions, part.substr(0, equals)) == kSlurmOptions.end())
      return false;
    if (!is_made_of(part.substr(equals + 1), "._-:@+&|[]")) return false;
    text.remove_prefix(part.size());
  }
  return true;
}

[[noreturn]] void refuse(const std::string& text) {
  throw Error(Stop::usage,
              "no such device: '" + text +
                  "'; --device takes auto, cuda, cuda:N (N = 0, 1, ...), cpu, or one of "
                  "another machine: ssh://[user@]host[:port]/DEVICE, "
                  "slurm:PARTITION[,gres=...]/DEVICE, judge[:SOCKET]/DEVICE");
}

[[nodiscard]] DeviceChoice device_at(const std::string& text, std::size_t slash) {
  const std::string device = text.substr(std::min(slash + 1, text.size()));
  DeviceChoice choice = device.empty() ? DeviceChoice{} : parse_device(device);
  if (!choice.place.empty()) refuse(text);
  choice.place = text.substr(0, slash);
  return choice;
}

// "judge", "judge/cuda", "judge:/run/it.sock", "judge:/run/it.sock/cuda:0": what is no device
// belongs to the path.
[[nodiscard]] DeviceChoice device_of_judge(const std::string& text) {
  constexpr std::size_t kName = kJudge.size();
  if (text.size() == kName || text[kName] == '/') return device_at(text, kName);
  const std::string_view path = std::string_view(text).substr(kName + 1);
  if (!path.starts_with('/') || path.ends_with('/')) refuse(text);
  const std::size_t slash = text.rfind('/');
  const std::string last = text.substr(slash + 1);
  const bool is_device =
      last == "auto" || last == "cpu" || last == "cuda" || last.starts_with("cuda:");
  return device_at(text, is_device && slash > kName + 1 ? slash : text.size());
}

// None: it is one of this machine.
[[nodiscard]] std::optional<DeviceChoice> device_elsewhere(const std::string& text) {
  const std::string_view whole = text;
  if (whole.starts_with(kSsh)) {
    const std::size_t slash = std::min(whole.find('/', kSsh.size()), whole.size());
    if (!is_host(whole.substr(kSsh.size(), slash - kSsh.size()))) refuse(text);
    return device_at(text, slash);
  }
  if (whole.starts_with(kSlurm)) {
    const std::size_t slash = std::min(whole.find('/'), whole.size());
    if (!is_of_slurm(whole.substr(kSlurm.size(), slash - kSlurm.size()))) refuse(text);
    return device_at(text, slash);
  }
  // A command may hold slashes, a device does not.
  if (whole.starts_with(kLauncher)) {
    const std::size_t slash = whole.rfind('/');
    if (slash == std::string_view::npos) refuse(text);
    const std::string_view command = whole.substr(kLauncher.size(), slash - kLauncher.size());
    if (command.find_first_not_of(' ') == std::string_view::npos) refuse(text);
    return device_at(text, slash);
  }
  if (whole == kJudge || whole.starts_with("judge:") || whole.starts_with("judge/"))
    return device_of_judge(text);
  return std::nullopt;
}

}  // namespace

DeviceChoice parse_device(const std::string& text) {
  if (const auto elsewhere = device_elsewhere(text)) return *elsewhere;
  if (text == "auto") return {};
  if (text == "cpu") return {.kind = DeviceChoice::Kind::cpu, .ordinal = 0, .place = {}};
  if (text == "cuda") return {.kind = DeviceChoice::Kind::cuda, .ordinal = 0, .place = {}};
  constexpr std::string_view kPrefix = "cuda:";
  if (text.starts_with(kPrefix)) {
    int ordinal = -1;
    if (read_number(text.substr(kPrefix.size()), ordinal) && ordinal >= 0) {
      return {.kind = DeviceChoice::Kind::cuda, .ordinal = ordinal, .place = {}};
    }
  }
  refuse(text);
}

namespace {

[[nodiscard]] std::string spelling_here(const DeviceChoice& choice) {
  switch (choice.kind) {
    case DeviceChoice::Kind::automatic:
      return "auto";
    case DeviceChoice::Kind::cuda:
      return "cuda:" + std::to_string(choice.ordinal);
    case DeviceChoice::Kind::cpu:
      return "cpu";
  }
  return "auto";
}

}  // namespace

PlaceKind kind_of_place(const std::string& place) {
  if (place.empty()) return PlaceKind::here;
  if (place.starts_with(kSsh)) return PlaceKind::ssh;
  if (place.starts_with(kSlurm)) return PlaceKind::slurm;
  return place.starts_with(kLauncher) ? PlaceKind::launcher : PlaceKind::judge;
}

std::string address_of(const std::string& place) {
  switch (kind_of_place(place)) {
    case PlaceKind::here:
      break;
    case PlaceKind::ssh:
      return place.substr(kSsh.size());
    case PlaceKind::slurm:
      return place.substr(kSlurm.size());
    case PlaceKind::launcher:
      return place.substr(kLauncher.size());
    case PlaceKind::judge:
      return place == kJudge ? kJudgeSocket : place.substr(kJudge.size() + 1);
  }
  return {};
}

std::string place_of_launcher(const std::string& command) {
  return std::string(kLauncher) + command;
}

std::string spelling(const DeviceChoice& choice) {
  return (choice.place.empty() ? "" : choice.place + "/") + spelling_here(choice);
}

}  // namespace autokernel::driver
