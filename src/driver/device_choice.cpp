#include "autokernel/driver/device_choice.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "autokernel/base/error.h"

namespace autokernel::driver {

namespace {

constexpr std::string_view kSsh = "ssh://";

// What ssh would take for an option, and a shell for a word of its own, is no host.
[[nodiscard]] bool is_host(std::string_view text) {
  constexpr std::string_view kSigns = "._-@:%[]";
  const auto begins_well = [](std::string_view part) {
    return !part.empty() && part.front() != '-';
  };
  const std::size_t at = text.rfind('@');
  return begins_well(text) && (at == std::string_view::npos || begins_well(text.substr(at + 1))) &&
         std::ranges::all_of(text, [&](char c) {
           const bool is_word =
               (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
           return is_word || kSigns.find(c) != std::string_view::npos;
         });
}

[[noreturn]] void refuse(const std::string& text) {
  throw Error(Stop::usage,
              "no such device: '" + text +
                  "'; --device takes auto, cuda, cuda:N (N = 0, 1, ...), cpu, or one of "
                  "another machine: ssh://[user@]host[:port]/DEVICE");
}

[[nodiscard]] DeviceChoice device_elsewhere(const std::string& text) {
  const std::size_t slash = std::min(text.find('/', kSsh.size()), text.size());
  if (!is_host(std::string_view(text).substr(kSsh.size(), slash - kSsh.size()))) refuse(text);
  const std::string device = text.substr(std::min(slash + 1, text.size()));
  if (device.starts_with(kSsh)) refuse(text);
  DeviceChoice choice = device.empty() ? DeviceChoice{} : parse_device(device);
  choice.place = text.substr(0, slash);
  return choice;
}

}  // namespace

DeviceChoice parse_device(const std::string& text) {
  if (text.starts_with(kSsh)) return device_elsewhere(text);
  if (text == "auto") return {};
  if (text == "cpu") return {.kind = DeviceChoice::Kind::cpu, .ordinal = 0, .place = {}};
  if (text == "cuda") return {.kind = DeviceChoice::Kind::cuda, .ordinal = 0, .place = {}};
  constexpr std::string_view kPrefix = "cuda:";
  if (text.starts_with(kPrefix)) {
    const std::string digits = text.substr(kPrefix.size());
    const char* end = digits.data() + digits.size();
    int ordinal = -1;
    const auto [stopped, status] = std::from_chars(digits.data(), end, ordinal);
    if (status == std::errc{} && stopped == end && ordinal >= 0) {
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

std::string spelling(const DeviceChoice& choice) {
  return (choice.place.empty() ? "" : choice.place + "/") + spelling_here(choice);
}

}  // namespace autokernel::driver
