#include "autokernel/driver/device_choice.h"

#include <charconv>
#include <string_view>

#include "autokernel/base/error.h"

namespace autokernel::driver {

DeviceChoice parse_device(const std::string& text) {
  if (text == "auto") return {};
  if (text == "cpu") return {DeviceChoice::Kind::cpu, 0};
  if (text == "cuda") return {DeviceChoice::Kind::cuda, 0};
  constexpr std::string_view kPrefix = "cuda:";
  if (text.starts_with(kPrefix)) {
    const std::string digits = text.substr(kPrefix.size());
    const char* end = digits.data() + digits.size();
    int ordinal = -1;
    const auto [stopped, status] = std::from_chars(digits.data(), end, ordinal);
    if (status == std::errc{} && stopped == end && ordinal >= 0) {
      return {DeviceChoice::Kind::cuda, ordinal};
    }
  }
  throw Error(Stop::usage, "no such device: '" + text +
                               "'; --device takes auto, cuda, cuda:N (N = 0, 1, ...) or cpu");
}

std::string spelling(const DeviceChoice& choice) {
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

}  // namespace autokernel::driver
